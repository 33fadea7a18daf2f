import type { RefreshPosition } from '../../../shared/kernel/auth/refresh-token.ts';
import { type Session, sessionKey } from '../../../shared/organizations/session.ts';
import { sessionsEndedAction } from '../../../shared/organizations/sessions-ended.ts';
import { type Action, type Stored, type TableWriter, VersionConflict } from '../../../shared/table/table.ts';

/** The tables that a session is in: the sessions themselves, and the records of its user's organization. */
export interface SessionTables {
  readonly identity: TableWriter<'identity'>;
  readonly table: TableWriter;
}

/** The part of a request that the end of a session needs. */
export interface SessionEnd {
  readonly eventId: string;
  readonly now: Date;
}

/**
 * The actions that end a session: its refresh tokens stop working, and its connections for live events are closed.
 * @throws a `VersionConflict`, or what `otherwise` returns, when another request has ended it since it was read.
 */
export function sessionEndActions(
  { identity, table }: SessionTables,
  session: Stored<Session, 'identity'>,
  { userId, sessionId }: { userId: string; sessionId: string },
  { eventId, now, otherwise }: SessionEnd & { otherwise?: () => Error },
): Action[] {
  return [
    identity.delete(session.key, { ifVersion: session.version, ...(otherwise && { otherwise }) }),
    sessionsEndedAction(table, { userId, sessionId }, eventId, now),
  ];
}

/** Ends the session of a refresh token. Does nothing if it is gone. */
export async function endSession(
  tables: SessionTables,
  { userId, familyId: sessionId }: Pick<RefreshPosition, 'userId' | 'familyId'>,
  end: SessionEnd,
): Promise<void> {
  const { identity } = tables;
  const session = await identity.read(sessionKey(userId, sessionId));
  if (session === undefined) {
    return;
  }
  try {
    await identity.commit(sessionEndActions(tables, session, { userId, sessionId }, end));
  } catch (error) {
    // Another request has ended it, and closes the connections.
    if (!(error instanceof VersionConflict)) {
      throw error;
    }
  }
}
