import { caseFolded } from '../../../../shared/folded.ts';
import { type Instants, instantsOf } from './dates.ts';

/** A single value as people mean it, made ready to be compared with others. */
export interface Comparable {
  readonly value: unknown;
  /** Of a text, a number or a boolean: neither case nor the blanks around it matter, and `true` is the same as the word. */
  readonly word: string | undefined;
  /** The number, also of a text that was typed as one. */
  readonly number: number | undefined;
  /** The time that a text in ISO 8601 means. Found on first use, because that takes a hundred times as long as the rest. */
  readonly instants: Instants | undefined;
}

export type Order = 'gt' | 'gte' | 'lt' | 'lte';

/** @param zone of the organization: a date without a time is that whole day there. */
export function comparable(value: unknown, zone: string): Comparable {
  let instants: Instants | undefined | 'unknown' = typeof value === 'string' ? 'unknown' : undefined;
  return {
    value,
    word: isWord(value) ? caseFolded(String(value)).trim() : undefined,
    number: numberOf(value),
    get instants() {
      instants = instants === 'unknown' ? instantsOf(value, zone) : instants;
      return instants;
    },
  };
}

const isWord = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Whether the value is missing or empty: an empty text, an empty list, or null. */
export function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (typeof value === 'string' && value.trim() === '') ||
    (Array.isArray(value) && value.length === 0)
  );
}

/** A number as times are compared. */
export const pointOf = (number: number): Instants => ({ first: number, last: number });

export const inOrder: Record<Order, (one: Instants, other: Instants) => boolean> = {
  gt: (one, other) => one.first > other.last,
  gte: (one, other) => one.first >= other.first,
  lt: (one, other) => one.last < other.first,
  lte: (one, other) => one.last <= other.last,
};

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') {
    return value;
  }
  return typeof value === 'string' && /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)\s*$/.test(value)
    ? Number(value)
    : undefined;
}
