import type { Instants } from '../../../../shared/written-times.ts';
import { firstFrom } from './first-from.ts';

/** Dates and times of a list, among which those that are the same as another one are found at once. */
export interface DateIndex {
  /** Whether one of them lies within this one, or this one within it: an instant in a day. */
  has(other: Instants): boolean;
}

export function dateIndex(some: readonly Instants[]): DateIndex {
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
