import { Failure } from '../kernel/failure.ts';
import { digestOf } from '../table/digest.ts';
import type { Key } from '../table/key.ts';

/** E.164: a plus, a country code that does not start with 0, 2 to 15 digits in all. Source: ITU-T E.164; decisions 6. */
const e164 = /^\+[1-9]\d{1,14}$/;

/**
 * Spaces, dashes, dots and brackets of any keyboard or web page, and the invisible direction marks that phones add to a copied
 * number.
 */
const separators = /[\s\p{Dash}.\p{Ps}\p{Pe}\p{Cf}]/gu;

/** A text without separators, and with `+` for a leading `00`. */
export const withoutSeparators = (written: string) => written.replace(separators, '').replace(/^00/, '+');

/** The number in E.164; undefined for a text that is not a phone number in any usual spelling. */
export function phoneNumberIn(written: string): string | undefined {
  const number = withoutSeparators(written);
  return e164.test(number) ? number : undefined;
}

/** Whether a search may be for a number: digits and separators, no letters. */
export function looksLikeNumber(text: string): boolean {
  return /^[+/]*\d[\d+/]*$/.test(text.replace(separators, ''));
}

/** The digits of a number or of a search for one. */
export function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/**
 * Locks a phone number (E.164), or the address of a contact that writes from none (a short code, a name, an address of another service).
 * Each is unique within the organization. By a digest, because what somebody said about a number outlives the contact that had it.
 */
export const phoneLockKey = (address: string): Key<never> => ({
  partition: ['PHONE', digestOf(address)],
  sort: ['PHONE'],
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
