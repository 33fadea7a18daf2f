import type { IdentityKey } from '../../../shared/table/key.ts';
import type { Timestamp } from '../../../shared/time.ts';

/** Who an e-mail address belongs to, platform-wide, and the password that proves it. Lies under the address: its lock. */
export interface Credentials {
  userId: string;
  organizationId: string;
  /** argon2id as a PHC string. */
  passwordHash: string;
}

/** Who a session (a family of refresh tokens) belongs to. Its generation, end and revocation are native attributes. */
export interface Session {
  userId: string;
  organizationId: string;
  startedAt: Timestamp;
}

/** The lock that makes an e-mail address unique platform-wide; `digest` as `email.ts` makes it. */
export const credentialsKey = (digest: string): IdentityKey<Credentials> => ({
  partition: ['EMAIL', digest],
  sort: ['EMAIL'],
});

export const sessionKey = (familyId: string): IdentityKey<Session> => ({
  partition: ['SESSION', familyId],
  sort: ['SESSION'],
});

/** Failed logins of an account (`ACCOUNT`, digest of the address) or of a source address (`ADDRESS`). */
export const throttleKey = (of: 'ACCOUNT' | 'ADDRESS', subject: string): IdentityKey<never> => ({
  partition: ['THROTTLE', of, subject],
  sort: ['THROTTLE'],
});
