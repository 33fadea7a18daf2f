import { comparedDecimals, isNumber } from '../../../../shared/kernel/exact-numbers.ts';
import type { Instants } from '../../../../shared/organizations/written-times.ts';
import { sortedJson } from '../definition/sorted-json.ts';
import { type Comparable, comparable, inOrder, inOrderAsNumbers, type Order } from './comparison.ts';

/** The different members of a list, found by what they are: looking one up takes no longer in a long list. */
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
export function membersOf(list: readonly unknown[], zone: string): Members {
  const all = [...new Set(list)].map((value) => comparable(value, zone));
  const isReal = ({ value }: Comparable) => isNumber(value);
  const texts = all.filter((one) => one.word !== undefined && !isReal(one));
  const words = new Set(texts.map(({ word }) => word));
  const numbers = new Set(all.flatMap(({ number }) => number ?? []));
  const realNumbers = new Set(all.filter(isReal).map(({ number }) => number));
  const others = new Set(all.flatMap(({ word, value }) => (word === undefined ? [sortedJson(value)] : [])));
  const dates = once(() => texts.flatMap(({ instants }) => instants ?? []));
  const phones = once(() => new Set(texts.flatMap(({ phone }) => phone ?? [])));
  const indexOfDates = once(() => dateIndex(dates()));
  const inOrderOfWords = once(() => all.flatMap(({ word }) => word ?? []).sort());
  const inOrderOfNumbers = once(() => [...numbers].sort(comparedDecimals));
  const outermostDate = once(() => outermost(dates()));
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
        (instants !== undefined && indexOfDates().has(instants)) ||
        (phone !== undefined && phones().has(phone))
      );
    },
    hasStart({ word: start }) {
      const sorted = inOrderOfWords();
      // Those that start with it follow those that come before it.
      return start !== undefined && sorted[firstFrom(sorted, start)]?.startsWith(start) === true;
    },
    hasInOrder(operator, { number, instants }) {
      if (number !== undefined) {
        // The greatest is greater if any is, the smallest smaller.
        const one = inOrderOfNumbers().at(operator.startsWith('g') ? -1 : 0);
        return one !== undefined && inOrderAsNumbers[operator](one, number);
      }
      const one = outermostDate();
      return one !== undefined && instants !== undefined && inOrder[operator](one, instants);
    },
  };
}

/** What stands for all of these in any order: the latest beginning, and the earliest end. */
function outermost(some: readonly Instants[]): Instants | undefined {
  return some.reduce<Instants | undefined>(
    (all, { first, last }) => ({
      first: Math.max(first, all?.first ?? first),
      last: Math.min(last, all?.last ?? last),
    }),
    undefined,
  );
}

/** What `find` returns, found when it is first asked for. */
function once<Found>(find: () => Found): () => Found {
  let known: { readonly found: Found } | undefined;
  return () => {
    known ??= { found: find() };
    return known.found;
  };
}

/** Dates and times of a list, among which those that are the same as another one are found at once. */
interface DateIndex {
  /** Whether one of them lies within this one, or this one within it: an instant in a day. */
  has(other: Instants): boolean;
}

function dateIndex(some: readonly Instants[]): DateIndex {
  const sorted = some.toSorted((one, other) => one.first - other.first);
  const firsts = sorted.map(({ first }) => first);
  /** The latest end of all up to each, and the earliest end of all from each on. */
  const latest = sorted.map(({ last }) => last);
  const earliest = [...latest];
  for (let place = 1; place < sorted.length; place += 1) {
    latest[place] = Math.max(latest[place] ?? 0, latest[place - 1] ?? 0);
    const back = sorted.length - 1 - place;
    earliest[back] = Math.min(earliest[back] ?? 0, earliest[back + 1] ?? 0);
  }
  return {
    has({ first, last }) {
      const lastBefore = firstFrom(firsts, first + 1) - 1;
      return (
        (latest[lastBefore] ?? Number.NEGATIVE_INFINITY) >= last ||
        (earliest[firstFrom(firsts, first)] ?? Number.POSITIVE_INFINITY) <= last
      );
    },
  };
}

/** The index of the first of these sorted values that does not come before this one; their number if there is none. */
function firstFrom<Value extends string | number>(sorted: readonly Value[], value: Value): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const one = sorted[middle];
    if (one !== undefined && one < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
