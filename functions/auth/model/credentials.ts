import type { IdentityKey } from '../../../shared/table/key.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import { emailDigests } from './email.ts';

/** The owner of an email address and the password hash, stored under the address as its lock on the whole platform. */
export interface Credentials {
  userId: string;
  organizationId: string;
  /** An argon2id hash as a PHC string. */
  passwordHash: string;
  /** The id of the password; absent until it was changed once. The user's record has the same. */
  passwordId?: string;
}

/** Locks an email address, which is unique on the whole platform. `emailDigest` makes the digest. */
export const credentialsKey = (digest: string): IdentityKey<Credentials> => ({
  partition: ['EMAIL', digest],
  sort: ['EMAIL'],
});

/** Where the credentials of an address may be; new ones are at the first of these keys. */
export function emailCredentialsKeys(
  address: string,
): [IdentityKey<Credentials>, ...IdentityKey<Credentials>[]] {
  const [first, ...others] = emailDigests(address);
  return [credentialsKey(first), ...others.map(credentialsKey)];
}

/** The credentials of an address; undefined if it has no account. */
export async function findCredentials(
  identity: TableReader<'identity'>,
  address: string,
): Promise<Stored<Credentials, 'identity'> | undefined> {
  const found = await identity.readMany(emailCredentialsKeys(address));
  return found.find((record) => record !== undefined);
}

/**
 * The attempts that throttles count:
 * - `ACCOUNT`: failed logins of an account, by the digest of its email address; `ADDRESS`: those from a source address; `KNOWN`: those of an
 *   account from a network that it has signed in from before, by the digest of both;
 * - `CODE`: wrong codes of a user's second factor, by the id of the user;
 * - `REGISTRATION`: failed or refused registrations from a source address;
 * - `RESET`: emails about a forgotten password to an account, by the digest of its address; `RESET_ADDRESS`: those because of requests from a
 *   source address;
 * - `NOTICE`: emails about what happened to an account, by the digest of the address and the event;
 * - `INVITING`: invitations of an organization; `INVITED`: those to an email address, by its digest, or that of organization and address.
 */
export const throttleKey = (
  of:
    | 'ACCOUNT'
    | 'ADDRESS'
    | 'CODE'
    | 'INVITED'
    | 'INVITING'
    | 'KNOWN'
    | 'NOTICE'
    | 'REGISTRATION'
    | 'RESET'
    | 'RESET_ADDRESS',
  subject: string,
): IdentityKey<never> => ({
  partition: ['THROTTLE', of, subject],
  sort: ['THROTTLE'],
});
