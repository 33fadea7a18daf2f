import { ulid } from 'ulid';
import { after } from '../../shared/kernel/time.ts';

/** Randomness that is the same in every run. */
export interface Randomness {
  /** A number in [0, 1). */
  next(): number;
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** One of a list that is not empty. */
  pick<Item>(list: readonly Item[]): Item;
  /** A moment between two others. */
  momentBetween(from: Date, to: Date): Date;
  /** An id for a record of this moment. */
  idAt(moment: Date): string;
}

/** Mulberry32: quick, and good enough for sample data. */
export function randomness(seed: number): Randomness {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick<Item>(list: readonly Item[]): Item {
      const item = list[below(list.length)];
      if (item === undefined) {
        throw new Error('There is nothing to pick from an empty list');
      }
      return item;
    },
    momentBetween: (from, to) => after(from, Math.floor((to.getTime() - from.getTime()) * next())),
    idAt: (moment) => ulid(moment.getTime(), next),
  };
}
