import type { SecretLocation, StoredSecret } from '../../../../shared/kernel/secrets/sealed-secrets.ts';
import type { Timestamp } from '../../../../shared/kernel/time.ts';
import type { User } from '../../../../shared/organizations/user.ts';
import type { IdentityKey, Range } from '../../../../shared/table/key.ts';

/**
 * The second factor of a user: an app that makes codes from a secret. A user has one at most. Until a first code has confirmed it, it
 * protects nothing, and the user may set up another in its place.
 */
export interface Factor {
  _id: string;
  type: FactorType;
  secret: StoredSecret;
  createdAt: Timestamp;
  /** When a first code showed that the user's app has the secret; the user's record then names the factor. */
  confirmedAt?: Timestamp;
  /** The time step of the last code that was accepted: neither it nor an earlier one works again. */
  lastStep?: number;
  /** The digests of the recovery codes that nobody has used. */
  recoveryCodes: string[];
}

export const factorTypes = ['totp'] as const;
export type FactorType = (typeof factorTypes)[number];

export const factorSecretLocation = ({
  _id,
  organizationId,
}: Pick<User, '_id' | 'organizationId'>): SecretLocation => ({
  organizationId,
  record: ['FACTOR', _id],
});

export const factorKey = (userId: string): IdentityKey<Factor> => ({
  partition: ['FACTOR', userId],
  sort: ['FACTOR'],
});

/** All factors of a user: the one at `factorKey`. */
export const factorRange = (userId: string): Range<Factor, 'identity'> => ({
  partition: ['FACTOR', userId],
});
