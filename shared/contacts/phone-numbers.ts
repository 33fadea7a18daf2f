import { Failure } from '../kernel/failure.ts';
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

/** The 409 for a phone number that another contact has. Source: decisions 6, "Phone numbers". */
export class PhoneTaken extends Failure {
  /** The contact that has it. */
  readonly contactId: string;

  /** @param isNamed whether the response names the contact. */
  constructor(contactId: string, { isNamed }: { isNamed: boolean }) {
    super('CONFLICT', 'Another contact of this organization already has this phone number.', {
      title: 'Phone number taken',
      details: isNamed ? { contactId } : {},
    });
    this.contactId = contactId;
  }
}
