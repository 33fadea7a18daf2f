import { decodeTime, encodeTime } from 'ulid';
import { epochSeconds, minute, type Timestamp, timestamp } from '../kernel/time.ts';
import type { IdentityKey, Range } from '../table/key.ts';
import type { Stored } from '../table/table.ts';
import type { User } from './user.ts';

/**
 * A session (a family of refresh tokens) of a user. Its id is a ULID of the moment in which it began. Generation, last refresh and
 * expiry are native attributes. Once it has ended there is no record.
 */
export interface Session {
  startedAt: Timestamp;
  /** The device that the login came from. */
  userAgent?: string;
  /** The address that the login came from. */
  ipAddress?: string;
}

export const sessionKey = (userId: string, sessionId: string): IdentityKey<Session> => ({
  partition: ['SESSIONS', userId],
  sort: ['SESSION', sessionId],
});

/** All sessions of a user, oldest first, including sessions that the user's record has ended but the database has not deleted yet. */
export const sessionRange = (userId: string): Range<Session, 'identity'> => ({
  partition: ['SESSIONS', userId],
  under: ['SESSION'],
});

/** Whether a session has neither ended (by a logout, or by a replayed refresh token) nor expired. */
export function isOpen(session: Stored<Session, 'identity'> | undefined, now: Date): boolean {
  const { expiresAt } = session?.attributes ?? {};
  return typeof expiresAt === 'number' && expiresAt > epochSeconds(now);
}

/** The part of a user that decides which sessions stay open. */
export type SessionRule = Pick<User, 'disabled' | 'sessionsNotBefore' | 'keptSessionId'>;

/** Whether the user is enabled and has not ended this session together with all others. */
export function admits<Some extends SessionRule>(user: Some | undefined, sessionId: string): user is Some {
  return (
    user !== undefined &&
    !user.disabled &&
    (user.sessionsNotBefore === undefined ||
      sessionId === user.keptSessionId ||
      decodeTime(sessionId) >= Date.parse(user.sessionsNotBefore))
  );
}

/** How far ahead the end of all sessions reaches: longer than a request takes, and than two clocks differ. */
const reach = minute;

/**
 * The user with all current sessions ended, except the kept one if it is still open. A session that a simultaneous request opens ends
 * too. `newSessionId` dates every later session after this.
 */
export function withSessionsEnded(user: User, now: Date, keptSessionId?: string): User {
  const { sessionsNotBefore: before, keptSessionId: _, ...rest } = user;
  const moment = Math.max(now.getTime() + reach, before === undefined ? 0 : Date.parse(before) + 1);
  return {
    ...rest,
    sessionsNotBefore: timestamp(new Date(moment)),
    ...(keptSessionId !== undefined && admits(user, keptSessionId) && { keptSessionId }),
  };
}

/** Characters of a ULID that are its time. */
const timeCharacters = 10;

/** The id of a new session, from a new ULID. It is dated no earlier than the last end of all sessions, so that it is admitted. */
export function newSessionId({ sessionsNotBefore }: SessionRule, id: string): string {
  const earliest = sessionsNotBefore === undefined ? 0 : Date.parse(sessionsNotBefore);
  return decodeTime(id) >= earliest ? id : encodeTime(earliest) + id.slice(timeCharacters);
}
