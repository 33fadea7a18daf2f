import { Failure } from '../kernel/failure.ts';
import { digestOf } from '../table/digest.ts';
import type { Key } from '../table/key.ts';

/**
 * The one form of a number (E.164), or of an address that ends with one, that stands for both of its notations: Mexican numbers with and
 * without the 1 that callers dialed before 2019, and Brazilian mobile numbers with and without their ninth digit. Two numbers are the
 * same if their forms are. Source: decisions 6, "Phone numbers".
 */
export function sameNumberForm(address: string): string {
  return address.replace(/(?<=\+52)1(?=[2-9]\d{9}$)/, '').replace(/(?<=\+55[1-9]{2})(?=[6-9]\d{7}$)/, '9');
}

/**
 * What tells phone numbers (E.164) and other addresses apart: those with the same name have one lock, one contact and one consent. A digest,
 * because what somebody said about a number outlives the contact that had it.
 */
export const lockNameOf = (address: string) => digestOf(sameNumberForm(address));

/** The lock with this name. */
export const namedLockKey = (digest: string): Key<never> => ({
  partition: ['PHONE', digest],
  sort: ['PHONE'],
});

/**
 * Locks a phone number, or the address of a contact that writes from none (a short code, a name, an address of another service). Each is
 * unique within the organization.
 */
export const phoneLockKey = (address: string) => namedLockKey(lockNameOf(address));

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
