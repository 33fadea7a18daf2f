import type { IdentityKey } from '../../../shared/table/key.ts';

/** The owner of an e-mail address and the password hash, stored under the address as its lock on the whole platform. */
export interface Credentials {
  userId: string;
  organizationId: string;
  /** An argon2id hash as a PHC string. */
  passwordHash: string;
}

/** Locks an e-mail address, which is unique on the whole platform. `emailDigest` makes the digest. */
export const credentialsKey = (digest: string): IdentityKey<Credentials> => ({
  partition: ['EMAIL', digest],
  sort: ['EMAIL'],
});

/** Failed logins of an account (`ACCOUNT`, digest of the address) or from a source address (`ADDRESS`). */
export const throttleKey = (of: 'ACCOUNT' | 'ADDRESS', subject: string): IdentityKey<never> => ({
  partition: ['THROTTLE', of, subject],
  sort: ['THROTTLE'],
});
