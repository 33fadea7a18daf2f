import { isNumber } from '../../../../shared/kernel/exact-numbers.ts';
import type { Instants } from '../../../../shared/organizations/written-times.ts';
import { sortedJson } from '../definition/graph.ts';
import { type Comparable, comparable, inOrder, inOrderAsNumbers, type Order } from './comparison.ts';

/** The different members of a list, found by what they are. */
export interface Members {
  readonly all: readonly Comparable[];
  /** Whether one of them is the same. */
  has(other: Comparable): boolean;
  /** Whether the text of one of them starts with this. */
  hasStart(start: Comparable): boolean;
  /** Whether one of them is greater or smaller than this: both are numbers, or else both are dates. */
  hasInOrder(operator: Order, other: Comparable): boolean;
}

/**
 * The members of a list, made ready to be looked up.
 * @param zone see `comparable`.
 */
export function listMembers(list: readonly unknown[], zone: string): Members {
  const all = [...new Set(list)].map((value) => comparable(value, zone));
  const isReal = ({ value }: Comparable) => isNumber(value);
  const texts = all.filter((value) => value.word !== undefined && !isReal(value));
  const words = new Set(texts.map(({ word }) => word));
  const numbers = new Set(all.flatMap(({ number }) => number ?? []));
  const realNumbers = new Set(all.filter(isReal).map(({ number }) => number));
  const others = new Set(all.flatMap(({ word, value }) => (word === undefined ? [sortedJson(value)] : [])));
  return {
    all,
    has(other) {
      if (other.word === undefined) {
        return others.has(sortedJson(other.value));
      }
      if (isReal(other)) {
        return numbers.has(other.number ?? '');
      }
      // A text that looks like a number is compared as one only if the other side is a number.
      if (words.has(other.word) || (other.number !== undefined && realNumbers.has(other.number))) {
        return true;
      }
      const { instants, phone } = other;
      return (
        (instants !== undefined && texts.some((text) => text.instants && overlap(text.instants, instants))) ||
        (phone !== undefined && texts.some((text) => text.phone === phone))
      );
    },
    hasStart({ word: start }) {
      return start !== undefined && all.some(({ word }) => word?.startsWith(start));
    },
    hasInOrder(operator, { number, instants }) {
      if (number !== undefined) {
        return numbers.values().some((member) => inOrderAsNumbers[operator](member, number));
      }
      return (
        instants !== undefined &&
        texts.some((text) => text.instants && inOrder[operator](text.instants, instants))
      );
    },
  };
}

/** Whether one lies within the other: an instant in a day. */
const overlap = (instants: Instants, other: Instants): boolean =>
  (instants.first <= other.first && instants.last >= other.last) ||
  (instants.first >= other.first && instants.last <= other.last);
