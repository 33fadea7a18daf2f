import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime } from '../kernel/schemas/fields.ts';
import { type Timestamp, timestamp } from '../kernel/time.ts';
import type { Page, Stored, TableReader } from '../table/table.ts';
import { admits, isOpen, type Session, type SessionRule, sessionKey } from './session.ts';

type StoredSession = Stored<Session, 'identity'>;

export const SessionResponse = described(
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
  { id: 'Session', description: 'A session of a user: a device on which they are logged in.' },
);

export function toSessionResponse(
  session: StoredSession,
  currentId: string | undefined,
): z.input<typeof SessionResponse> {
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

/** When the tokens of a session were last exchanged; undefined if they never were. */
function lastRefreshOf({ attributes }: Stored<Session, 'identity'>): Timestamp | undefined {
  const { rotatedAt } = attributes ?? {};
  return typeof rotatedAt === 'number' ? timestamp(new Date(rotatedAt)) : undefined;
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
