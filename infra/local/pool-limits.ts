import { availableParallelism } from 'node:os';

export interface PoolLimits {
  /** Of all functions together: an idle worker ends when one more would be too many. */
  readonly workers: number;
  /** More workers than cores only make each other wait, and none ever gets warm. */
  readonly workersOfOneFunction: number;
  /** A worker that has rested this long ends. */
  readonly restMilliseconds: number;
  /** A function that has a worker gets one more when an event has waited this long: to start one takes longer than most events. */
  readonly patienceMilliseconds: number;
}

export const usualPoolLimits: PoolLimits = {
  // Each takes about 18 MB: all of them with the host and the database less than 600 MB.
  workers: 18,
  // Two even on one core, because a function may wait for another run of itself.
  workersOfOneFunction: Math.min(8, Math.max(2, availableParallelism())),
  restMilliseconds: 2 * 60_000,
  patienceMilliseconds: 50,
};
