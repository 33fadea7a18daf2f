import type { StoredContact } from '../contacts/contact.ts';
import {
  plainText,
  readLeadPhoneNumber,
  withoutScheme,
  withoutSeparators,
} from '../contacts/read-phone-number.ts';
import { searchFolded } from '../kernel/names/folded.ts';
import { sameNumberForm } from '../kernel/names/same-numbers.ts';

/** The texts that a search looks for. */
export interface TextSearch {
  /** Folded, not empty. */
  readonly text: string;
  /** Digits of which a phone number must have one; none if the text is not a part of one. */
  readonly digits: readonly string[];
  /** Around each blank of the text: how a name must end and begin, so that the last name followed by the first contains the text. */
  readonly turned: readonly TurnedName[];
}

interface TurnedName {
  readonly end: string;
  readonly start: string;
}

/** How to search for a folded text that is not empty. */
export function textSearch(text: string): TextSearch {
  return { text, digits: searchedDigits(text), turned: turnedNames(text) };
}

/** Blanks of a search that may part a last name from a first: nobody's last name has more words. */
const mostBlanks = 8;

function turnedNames(text: string): TurnedName[] {
  return Array.from(text.matchAll(/ /g).take(mostBlanks), ({ index }) => ({
    end: text.slice(0, index),
    start: text.slice(index + 1),
  }));
}

/**
 * Whether a name begins and ends like this, with a blank between. It may be any blank: the index does not know which one parts the last name
 * from the first.
 * @param texts has the name from `from` to `to`.
 */
export function isTurned({ start, end }: TurnedName, texts: string, from: number, to: number): boolean {
  const [startsTo, endsFrom] = [from + start.length, to - end.length];
  // Most names differ in the first letter, and slices are compared several times as fast as by `startsWith`.
  if (
    startsTo >= endsFrom ||
    texts.charCodeAt(from) !== start.charCodeAt(0) ||
    texts.slice(from, startsTo) !== start ||
    texts.slice(endsFrom, to) !== end
  ) {
    return false;
  }
  const blank = texts.indexOf(' ', startsTo);
  return blank !== -1 && blank < endsFrom;
}

/** Where a search looks: the first and the last name with a blank between, folded, and the values of phone numbers. */
export interface SearchedText {
  readonly name: string;
  readonly phones: readonly string[];
}

/** Where a search looks in this contact. */
export function searchedText({
  firstName,
  lastName,
  phoneNumbers,
}: Pick<StoredContact, 'firstName' | 'lastName' | 'phoneNumbers'>): SearchedText {
  return {
    name: searchFolded(`${firstName} ${lastName}`),
    phones: phoneNumbers.map(({ value }) => value),
  };
}

/** Whether the name contains the text, in this order or with the last name first, or a phone number its digits. */
export function isFoundIn({ text, digits, turned }: TextSearch, { name, phones }: SearchedText): boolean {
  return (
    name.includes(text) ||
    turned.some((one) => isTurned(one, name, 0, name.length)) ||
    phones.some((value) =>
      digits.length === 0 ? value.includes(text) : digits.some((one) => numberDigits(value).includes(one)),
    )
  );
}

/** A trunk zero as people write it, in a number that may not be complete. */
const trunkZero = /\(\s*0\s*\)/;

/**
 * The digits to look for in phone numbers, each by itself: the written digits, without what stands in front of a country code or an
 * area code; and those of the number that they are, in both of its notations. None for a search for something else. Source: decisions 6,
 * "search".
 */
function searchedDigits(text: string): readonly string[] {
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
export function numberDigits(number: string): string {
  return number.replace(/\D/g, '');
}
