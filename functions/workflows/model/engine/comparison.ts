import { isDeepStrictEqual } from 'node:util';
import { folded } from '../../../../shared/folded.ts';
import { type Instants, instantsOf } from './dates.ts';

/** Compares single values of rules as people mean them. */
export interface Comparison {
  isSame(one: unknown, other: unknown): boolean;
  /** Whether a text contains another one, or a list has this member. */
  hasPart(whole: unknown, part: unknown): boolean;
  startsWith(text: unknown, start: unknown): boolean;
  isInOrder(one: unknown, operator: Order, other: unknown): boolean;
}

type Order = 'gt' | 'gte' | 'lt' | 'lte';

/** @param zone of the organization: a date without a time is that whole day there. */
export function comparing(zone: string): Comparison {
  const isSame = (one: unknown, other: unknown) => areSame(one, other, zone);
  return {
    isSame,
    hasPart(whole, part) {
      return Array.isArray(whole)
        ? whole.some((member) => isSame(member, part))
        : isWord(whole) && isWord(part) && wordOf(whole).includes(wordOf(part));
    },
    startsWith: (text, start) => isWord(text) && isWord(start) && wordOf(text).startsWith(wordOf(start)),
    isInOrder(one, operator, other) {
      const sides = numbersOf(one, other) ?? datesOf(one, other, zone);
      return sides !== undefined && inOrder[operator](...sides);
    },
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

const inOrder: Record<Order, (one: Instants, other: Instants) => boolean> = {
  gt: (one, other) => one.first > other.last,
  gte: (one, other) => one.first >= other.first,
  lt: (one, other) => one.last < other.first,
  lte: (one, other) => one.last <= other.last,
};

function areSame(one: unknown, other: unknown, zone: string): boolean {
  if (typeof one === 'number' || typeof other === 'number') {
    const numbers = numbersOf(one, other);
    return numbers !== undefined && numbers[0].first === numbers[1].first;
  }
  if (!isWord(one) || !isWord(other)) {
    return isDeepStrictEqual(one, other);
  }
  if (wordOf(one) === wordOf(other)) {
    return true;
  }
  const dates = datesOf(one, other, zone);
  return dates !== undefined && contains(...dates);
}

/** Whether one of two times lies within the other: an instant in a day. */
function contains(one: Instants, other: Instants): boolean {
  const isWithin = (inner: Instants, outer: Instants) =>
    inner.first >= outer.first && inner.last <= outer.last;
  return isWithin(one, other) || isWithin(other, one);
}

type Word = string | number | boolean;

const isWord = (value: unknown): value is Word =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Neither case nor the blanks around it matter, and `true` is the same as the word. */
const wordOf = (value: Word) => folded(String(value).trim());

function numbersOf(one: unknown, other: unknown): [Instants, Instants] | undefined {
  const [left, right] = [numberOf(one), numberOf(other)];
  return left === undefined || right === undefined
    ? undefined
    : [
        { first: left, last: left },
        { first: right, last: right },
      ];
}

/** A number, also one that was typed into a text field. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') {
    return value;
  }
  return typeof value === 'string' && /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)\s*$/.test(value)
    ? Number(value)
    : undefined;
}

function datesOf(one: unknown, other: unknown, zone: string): [Instants, Instants] | undefined {
  const [left, right] = [instantsOf(one, zone), instantsOf(other, zone)];
  return left === undefined || right === undefined ? undefined : [left, right];
}
