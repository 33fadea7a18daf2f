import { type Comparable, comparable, contains } from './comparison.ts';
import { sortedJson } from './sorted-json.ts';

/** The members of a list, found by what they are: looking one up takes no longer in a long list. */
export interface Members {
  readonly all: readonly Comparable[];
  /** Whether one of them is the same. */
  has(other: Comparable): boolean;
  /** Whether the text of one of them starts with this. */
  hasStart(start: Comparable): boolean;
}

/** Sorted lists by their time zone, for the many rules that ask for them: a contact's lists stay the same objects for all rules of an event. */
const known = new WeakMap<readonly unknown[], Map<string, Members>>();

/** The members of a list, sorted for comparisons: once for the same list and time zone. */
export function membersOf(list: readonly unknown[], zone: string): Members {
  const byZone = known.get(list) ?? new Map<string, Members>();
  known.set(list, byZone);
  const members = byZone.get(zone) ?? newMembers(list, zone);
  byZone.set(zone, members);
  return members;
}

function newMembers(list: readonly unknown[], zone: string): Members {
  const all = list.map((value) => comparable(value, zone));
  const isNumber = ({ value }: Comparable) => typeof value === 'number';
  const texts = all.filter((one) => one.word !== undefined && !isNumber(one));
  const words = new Set(texts.map(({ word }) => word));
  const numbers = new Set(all.map(({ number }) => number));
  const realNumbers = new Set(all.filter(isNumber).map(({ number }) => number));
  const dates = texts.flatMap(({ instants }) => instants ?? []);
  const others = new Set(all.flatMap(({ word, value }) => (word === undefined ? [sortedJson(value)] : [])));
  let inOrder: readonly string[] | undefined;
  return {
    all,
    has(other) {
      if (other.word === undefined) {
        return others.has(sortedJson(other.value));
      }
      if (isNumber(other)) {
        return numbers.has(other.number);
      }
      // What looks like a number is one only if the other side is.
      return (
        words.has(other.word) ||
        (other.number !== undefined && realNumbers.has(other.number)) ||
        (other.instants !== undefined && dates.some((one) => contains(one, other.instants ?? one)))
      );
    },
    hasStart({ word: start }) {
      inOrder ??= all.flatMap(({ word }) => word ?? []).sort();
      return start !== undefined && inOrder[firstFrom(inOrder, start)]?.startsWith(start) === true;
    },
  };
}

/** Where the first of these sorted words stands that does not come before `word`: those that start with it follow at once. */
function firstFrom(words: readonly string[], word: string): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((words[middle] ?? '') < word) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
