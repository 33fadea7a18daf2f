import { readPhoneNumber } from '../../../../shared/contacts/read-phone-number.ts';
import {
  comparedDecimals,
  decimalText,
  digitsIn,
  isNumber,
} from '../../../../shared/kernel/exact-numbers.ts';
import { caseFolded } from '../../../../shared/kernel/names/folded.ts';
import { sameNumberForm } from '../../../../shared/kernel/names/same-numbers.ts';
import { type Instants, parseInstants } from '../../../../shared/organizations/written-times.ts';

/** A single value as people mean it, made ready to be compared with others. */
export interface Comparable {
  readonly value: unknown;
  /** The words of a text, a number or a boolean: neither case nor the blanks around it matter, and `true` is the same as the word. */
  readonly word: string | undefined;
  /** The number as a decimal (`decimalText`), also of a text that was typed as one. */
  readonly number: string | undefined;
  /** The time that a text in ISO 8601 means. Found on first use, because that takes a hundred times as long as the rest. */
  readonly instants: Instants | undefined;
  /** The phone number that a text is in any notation (`sameNumberForm`). Found on first use as well. */
  readonly phone: string | undefined;
}

export type Order = 'gt' | 'gte' | 'lt' | 'lte';

/** @param zone of the organization: a date without a time is that whole day there. */
export function comparable(value: unknown, zone: string): Comparable {
  let instants: Instants | undefined | 'unknown' = typeof value === 'string' ? 'unknown' : undefined;
  let phone: string | undefined | null = typeof value === 'string' ? null : undefined;
  const word = isWord(value) ? caseFolded(textOf(value)).trim() : undefined;
  return {
    value,
    word,
    number: isNumber(value) ? decimalText(digitsIn(value)) : numberOf(word),
    get instants() {
      instants = instants === 'unknown' ? parseInstants(value, zone) : instants;
      return instants;
    },
    get phone() {
      phone = phone === null ? phoneOf(String(value)) : phone;
      return phone;
    },
  };
}

function phoneOf(text: string): string | undefined {
  const number = readPhoneNumber(text)?.value;
  return number && sameNumberForm(number);
}

const isWord = (value: unknown) => typeof value === 'string' || isNumber(value) || typeof value === 'boolean';

const textOf = (value: unknown) => (isNumber(value) ? digitsIn(value) : String(value));

/** Whether the value is missing or empty: an empty text, an empty list, or null. */
export function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (typeof value === 'string' && value.trim() === '') ||
    (Array.isArray(value) && value.length === 0)
  );
}

export const inOrder: Record<Order, (instants: Instants, other: Instants) => boolean> = {
  gt: (instants, other) => instants.first > other.last,
  gte: (instants, other) => instants.first >= other.first,
  lt: (instants, other) => instants.last < other.first,
  lte: (instants, other) => instants.last <= other.last,
};

/** Whether the first of these decimals is greater or smaller. */
export const inOrderAsNumbers: Record<Order, (one: string, other: string) => boolean> = {
  gt: (one, other) => comparedDecimals(one, other) > 0,
  gte: (one, other) => comparedDecimals(one, other) >= 0,
  lt: (one, other) => comparedDecimals(one, other) < 0,
  lte: (one, other) => comparedDecimals(one, other) <= 0,
};

/** Reads a word, in which digits of full width are digits. */
function numberOf(word: string | undefined): string | undefined {
  const [, typed] = (word !== undefined && typedNumber.exec(word)) || [];
  return typed && decimalText(typed);
}

const typedNumber = /^\+?(-?(?:\d+(?:\.\d*)?|\.\d+))$/;
