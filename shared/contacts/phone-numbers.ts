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

export interface PhoneLock {
  contactId: string;
}

/** What stands for a number (E.164) or other address of a contact in keys, and for its other notation. */
export const senderDigest = (address: string): string => digestOf(sameNumberForm(address));

/** Locks a phone number, which is unique within the organization. */
export const phoneLockKey = (value: string): Key<PhoneLock> => ({
  partition: ['PHONE'],
  sort: [sameNumberForm(value)],
});

/** Locks the address of a contact that writes from no phone number: a short code, a name, an address of another service. */
export const senderLockKey = (sender: string): Key<PhoneLock> => ({
  partition: ['SENDER'],
  sort: [senderDigest(sender)],
});

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
