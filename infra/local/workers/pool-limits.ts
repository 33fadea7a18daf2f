import { availableParallelism } from 'node:os';

export interface PoolLimits {
  /** Of all functions together: an idle worker ends when one more would be too many. */
  readonly workers: number;
  /** More workers than cores only make each other wait, and none ever gets warm. */
  readonly workersOfOneFunction: number;
  /** A worker that has rested this long ends. */
  readonly idleMilliseconds: number;
  /** A function that has a worker gets one more when an event has waited this long: to start one takes longer than most events. */
  readonly maxWaitMilliseconds: number;
  /** Runs at a time of functions that nobody waits for. */
  readonly backgroundAtOnce: number;
  /** One of these that takes longer lets the next begin. */
  readonly longBackgroundMilliseconds: number;
  /** Whether their threads leave processors and database to the others. */
  readonly backgroundYields: boolean;
}

export const usualPoolLimits: PoolLimits = {
  // Each takes about 18 MB: all of them with the host and the database less than 600 MB.
  workers: 18,
  // Two even on one core, because a function may wait for another run of itself.
  workersOfOneFunction: Math.min(8, Math.max(2, availableParallelism())),
  idleMilliseconds: 2 * 60_000,
  maxWaitMilliseconds: 50,
  // More would only wait for each other at the database, which does one thing at a time, and so would everybody else.
  backgroundAtOnce: 1,
  longBackgroundMilliseconds: 2_000,
  backgroundYields: false,
};
