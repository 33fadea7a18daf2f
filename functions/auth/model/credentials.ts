import type { Timestamp } from '../../../shared/kernel/time.ts';
import type { IdentityKey } from '../../../shared/table/key.ts';

/** The owner of an e-mail address and the password hash, stored under the address as its lock on the whole platform. */
export interface Credentials {
  userId: string;
  organizationId: string;
  /** An argon2id hash as a PHC string. */
  passwordHash: string;
}

/** The owner of a session (a family of refresh tokens). Generation, expiry and revocation are native attributes. */
export interface Session {
  userId: string;
  organizationId: string;
  startedAt: Timestamp;
}

/** Locks an e-mail address, which is unique on the whole platform. `emailDigest` makes the digest. */
export const credentialsKey = (digest: string): IdentityKey<Credentials> => ({
  partition: ['EMAIL', digest],
  sort: ['EMAIL'],
});

export const sessionKey = (familyId: string): IdentityKey<Session> => ({
  partition: ['SESSION', familyId],
  sort: ['SESSION'],
});

/** Failed logins of an account (`ACCOUNT`, digest of the address) or from a source address (`ADDRESS`). */
export const throttleKey = (of: 'ACCOUNT' | 'ADDRESS', subject: string): IdentityKey<never> => ({
  partition: ['THROTTLE', of, subject],
  sort: ['THROTTLE'],
});
