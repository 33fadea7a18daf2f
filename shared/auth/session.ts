import { decodeTime } from 'ulid';
import { epochSeconds, type Timestamp } from '../kernel/time.ts';
import type { User } from '../organizations/user.ts';
import type { IdentityKey } from '../table/key.ts';
import type { Stored } from '../table/table.ts';

/**
 * The owner of a session (a family of refresh tokens). Its id is a ULID of the moment in which it began. Generation, expiry and
 * revocation are native attributes.
 */
export interface Session {
  userId: string;
  organizationId: string;
  startedAt: Timestamp;
}

export const sessionKey = (familyId: string): IdentityKey<Session> => ({
  partition: ['SESSION', familyId],
  sort: ['SESSION'],
});

/** Whether a session has neither ended (by a logout, or by a replayed refresh token) nor expired. */
export function isOpen(session: Stored<Session, 'identity'> | undefined, now: Date): boolean {
  const { revoked, expiresAt } = session?.attributes ?? {};
  return revoked === undefined && typeof expiresAt === 'number' && expiresAt > epochSeconds(now);
}

/** Whether the user is enabled, and the user's sessions have not all been ended since this one began. */
export function admits(user: User | undefined, familyId: string): user is User {
  return (
    user !== undefined &&
    !user.disabled &&
    (user.sessionsNotBefore === undefined || decodeTime(familyId) >= Date.parse(user.sessionsNotBefore))
  );
}
