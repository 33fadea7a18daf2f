import {
  plainText,
  readLeadPhoneNumber,
  withoutScheme,
  withoutSeparators,
} from '../../../shared/contacts/read-phone-number.ts';
import { sameNumberForm } from '../../../shared/kernel/names/same-numbers.ts';

/** A trunk zero as people write it, in a number that may not be complete. */
const trunkZero = /\(\s*0\s*\)/;

/**
 * The digits to look for in phone numbers, each by itself: those that were written, without what stands in front of a country code or an
 * area code; and those of the number that they are, in both of its notations. None for a search for something else. Source: decisions 6,
 * "search".
 */
export function searchedDigits(text: string): readonly string[] {
  const written = withoutScheme(plainText(text));
  const parts = [written, written.replace(trunkZero, '')].map(withoutSeparators);
  const number = readLeadPhoneNumber(text)?.value;
  const all = [
    ...parts.filter((part) => /^\+?\d+$/.test(part)),
    ...(number === undefined ? [] : notationsOf(number)),
  ];
  return [...new Set(all.map((one) => one.replace(/^\+?(?:0+(?=[1-9]))?/, '')))];
}

/** The notations of a number: see `sameNumberForm`. */
function notationsOf(number: string): string[] {
  const form = sameNumberForm(number);
  return [
    form,
    form.replace(/(?<=\+52)(?=[2-9]\d{9}$)/, '1'),
    form.replace(/(?<=\+55[1-9]{2})9(?=[6-9]\d{7}$)/, ''),
  ];
}

/** The digits of a stored number. */
export function digitsOf(number: string): string {
  return number.replace(/\D/g, '');
}
