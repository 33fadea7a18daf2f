import { folded } from '../../../../shared/folded.ts';
import { type Instants, instantsOf } from './dates.ts';

/** A single value as people mean it, made ready to be compared with others. */
export interface Comparable {
  readonly value: unknown;
  /** Of a text, a number or a boolean: neither case nor the blanks around it matter, and `true` is the same as the word. */
  readonly word?: string;
  /** Of a number, also one that was typed into a text field. */
  readonly number?: number;
  /** Of a text that says a date or a time. */
  readonly instants?: Instants;
}

type Order = 'gt' | 'gte' | 'lt' | 'lte';

/** @param zone of the organization: a date without a time is that whole day there. */
export function comparable(value: unknown, zone: string): Comparable {
  const isWord = ['string', 'number', 'boolean'].includes(typeof value);
  const number = numberOf(value);
  const instants = instantsOf(value, zone);
  return {
    value,
    ...(isWord && { word: folded(String(value).trim()) }),
    ...(number !== undefined && { number }),
    ...(instants && { instants }),
  };
}

/** Whether there is nothing: an empty text, an empty list, or null. */
export function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (typeof value === 'string' && value.trim() === '') ||
    (Array.isArray(value) && value.length === 0)
  );
}

/** Compares two numbers, or else two dates; false for anything else. */
export function isInOrder(one: Comparable, operator: Order, other: Comparable): boolean {
  if (one.number !== undefined && other.number !== undefined) {
    return inOrder[operator](pointOf(one.number), pointOf(other.number));
  }
  return one.instants !== undefined && other.instants !== undefined
    ? inOrder[operator](one.instants, other.instants)
    : false;
}

/** Whether one of two times lies within the other: an instant in a day. */
export function contains(one: Instants, other: Instants): boolean {
  const isWithin = (inner: Instants, outer: Instants) =>
    inner.first >= outer.first && inner.last <= outer.last;
  return isWithin(one, other) || isWithin(other, one);
}

const pointOf = (number: number): Instants => ({ first: number, last: number });

const inOrder: Record<Order, (one: Instants, other: Instants) => boolean> = {
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
