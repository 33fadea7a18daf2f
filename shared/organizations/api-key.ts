import type { CallingKey, Claims, KeyAccess, Role } from '../kernel/caller.ts';
import { epochSeconds, type Timestamp, timestamp } from '../kernel/time.ts';
import type { IdentityKey, Key, Range } from '../table/key.ts';

/** An API key. Only digests of its secrets are stored. */
export interface ApiKey {
  _id: string;
  name: string;
  /** The first characters of the newest secret, to tell keys apart. */
  prefix: string;
  /** The user that it acts as. */
  userId: string;
  /** The role of that user when the key was made, which the key never exceeds. */
  role: Role;
  access: KeyAccess;
  /** The groups of operations that it may use; null for all. */
  groups: string[] | null;
  expiresAt: Timestamp | null;
  createdBy: string;
  createdAt: Timestamp;
  /** The newest secret, and the one before while it still works. */
  secrets: KeySecret[];
}

interface KeySecret {
  digest: string;
  /** When it stops working; absent for the newest. */
  until?: Timestamp;
}

/** The key by the digest of a secret. */
export interface ApiKeySecret {
  organizationId: string;
  apiKeyId: string;
}

export const apiKeyKey = (id: string): Key<ApiKey> => ({ partition: [], sort: ['API_KEY', id] });

/** Records that each stand for the key in the transactions of its requests. */
const guards = 10;

/**
 * One of the records on which the transactions of the key's requests depend: each has the version of the key and ends with it. Several,
 * because transactions that check the same item cancel each other.
 */
export const apiKeyGuardKey = (id: string, guard: number): Key<object> => ({
  partition: [],
  sort: ['API_KEY_GUARD', id, String(guard)],
});

/** The guard that a transaction checks. `random` is a number in [0, 1). */
export const anyGuard = (random: number) => Math.floor(random * guards);

export const apiKeyGuardKeys = (id: string) =>
  Array.from({ length: guards }, (_, guard) => apiKeyGuardKey(id, guard));

export const apiKeyRange = (): Range<ApiKey> => ({ partition: [], under: ['API_KEY'] });

/** How many keys the organization has. */
export const apiKeyCountKey = (): Key<never> => ({ partition: [], sort: ['API_KEY_COUNT'] });

export const apiKeySecretKey = (digest: string): IdentityKey<ApiKeySecret> => ({
  partition: ['API_KEY', digest],
  sort: ['API_KEY'],
});

/** The day of a key's last use, as the native attribute `usedOn`. Apart from the key, because only its authorizer writes it. */
export const apiKeyUseKey = (organizationId: string, apiKeyId: string): IdentityKey<never> => ({
  partition: ['API_KEY_USE', organizationId],
  sort: ['KEY', apiKeyId],
});

export const apiKeyUseRange = (organizationId: string): Range<never, 'identity'> => ({
  partition: ['API_KEY_USE', organizationId],
  under: ['KEY'],
});

/** The end of what has none: the last second that a `Date` can be. */
const never = 8_640_000_000_000;

/** When a secret of the key stops working, in seconds since the epoch; undefined if it does not work now. */
export function secretEnd({ secrets, expiresAt }: ApiKey, digest: string, now: Date): number | undefined {
  const secret = secrets.find((one) => one.digest === digest);
  const ends = [secret?.until, expiresAt].filter((end) => end !== undefined && end !== null).sort();
  const [end] = ends;
  if (secret === undefined || (end !== undefined && end <= timestamp(now))) {
    return undefined;
  }
  return end === undefined ? never : epochSeconds(new Date(end));
}

/** The key as the kernel knows it, by the secret with this digest. */
export function callingKey({ _id: id, access, groups }: ApiKey, digest: string): CallingKey {
  return { id, digest, access, ...(groups !== null && { groups }) };
}

/** The claims of a secret of the key, whose user has this role now. */
export function keyClaims(
  key: ApiKey,
  organizationId: string,
  role: Role,
  { digest, expiresAt }: { readonly digest: string; readonly expiresAt: number },
): Claims {
  return { userId: key.userId, organizationId, role, expiresAt, key: callingKey(key, digest) };
}
