import * as z from 'zod/mini';
import { admits, isOpen, type Session, type SessionRule, sessionKey } from '../../../shared/auth/session.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime } from '../../../shared/kernel/schemas/fields.ts';
import type { Page, Stored, TableReader } from '../../../shared/table/table.ts';
import { lastRefreshOf } from './sessions.ts';

type StoredSession = Stored<Session, 'identity'>;

export const OwnSession = described(
  z.object({
    _id: anyString,
    createdAt: dateTime,
    lastUsedAt: dateTime,
    userAgent: z.optional(anyString),
    ipAddress: z.optional(anyString),
    current: anyBoolean,
  }),
  {
    _id: 'The id of the session.',
    createdAt: 'When it began, with a login, a registration or an accepted invitation.',
    lastUsedAt: 'When it was last renewed; at first, when it began.',
    userAgent: 'The `User-Agent` of the request that began it, in ASCII, at most 200 characters.',
    ipAddress: 'The address that it began from.',
    current: 'Whether it is the session that sends the request.',
  },
  { id: 'Session', description: 'One of your sessions: a device on which you are logged in.' },
);

export function toSessionResponse(
  session: StoredSession,
  currentId: string | undefined,
): z.input<typeof OwnSession> {
  const { startedAt, ...login } = session.data;
  const _id = idOf(session);
  return {
    _id,
    createdAt: startedAt,
    lastUsedAt: lastRefreshOf(session) ?? startedAt,
    ...login,
    current: _id === currentId,
  };
}

const idOf = ({ key }: StoredSession) => key.sort[1] ?? '';

/**
 * The open sessions of a page of a user's sessions, newest first. The user's record may have ended many sessions, but all of them are
 * older than the others, so the list ends before them. Only the kept session is among the older ones.
 */
export async function openSessions(
  identity: TableReader<'identity'>,
  userId: string,
  { records, nextCursor }: Page<Session, 'identity'>,
  user: SessionRule,
  now: Date,
): Promise<Page<Session, 'identity'>> {
  const admitted = records.filter((session) => admits(user, idOf(session)));
  const open = (sessions: readonly (StoredSession | undefined)[]) =>
    sessions.filter((session) => session !== undefined && isOpen(session, now)) as StoredSession[];
  if (admitted.length === records.length) {
    return { records: open(records), nextCursor };
  }
  const { keptSessionId } = user;
  const [last] = records.slice(-1).map(idOf);
  const isKeptLater = keptSessionId !== undefined && last !== undefined && keptSessionId < last;
  const kept = isKeptLater ? await identity.read(sessionKey(userId, keptSessionId)) : undefined;
  return { records: open([...admitted, kept]), nextCursor: null };
}
