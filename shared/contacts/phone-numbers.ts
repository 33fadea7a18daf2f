import { sameNumberForm } from '../kernel/names/same-numbers.ts';
import { toDigest } from '../table/digest.ts';
import type { Key } from '../table/key.ts';

/**
 * Tells phone numbers (E.164) and other addresses apart: those with the same name have one lock, one contact and one consent. A digest,
 * because what somebody said about a number outlives the contact that had it.
 */
export const numberLockName = (address: string) => toDigest(sameNumberForm(address));

/** The lock with this name. */
export const namedLockKey = (digest: string): Key<never> => ({
  partition: ['PHONE', digest],
  sort: ['PHONE'],
});

/**
 * Locks a phone number, or the address of a contact that writes from none (a short code, a name, an address of another service). Each is
 * unique within the organization.
 */
export const phoneLockKey = (address: string) => namedLockKey(numberLockName(address));
