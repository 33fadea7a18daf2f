import { availableParallelism } from 'node:os';

export interface PoolLimits {
  /** The workers of all functions together. When one more is needed, an idle one ends. */
  readonly workers: number;
  /** The workers of one function. With more workers than cores they would only wait for each other, and stay cold. */
  readonly workersOfOneFunction: number;
  /** A worker that has been idle for this long ends. */
  readonly idleMilliseconds: number;
  /** A function with workers gets another one when an event has waited this long: most events take less time than a start. */
  readonly maxWaitMilliseconds: number;
  /** How many events of background functions are handled at a time. */
  readonly backgroundAtOnce: number;
  /** After this long, the next one may begin. */
  readonly longBackgroundMilliseconds: number;
  /** Whether the threads of background functions leave processors and database to the others. */
  readonly backgroundYields: boolean;
}

export const usualPoolLimits: PoolLimits = {
  // Each takes about 20 MB: all of them with the host and the database take less than 600 MB.
  workers: 16,
  // Two even on one core, because a function may wait for another invocation of itself.
  workersOfOneFunction: Math.min(8, Math.max(2, availableParallelism())),
  idleMilliseconds: 2 * 60_000,
  maxWaitMilliseconds: 50,
  // More would only wait for the database, which handles one request at a time, and make everybody else wait.
  backgroundAtOnce: 1,
  longBackgroundMilliseconds: 2_000,
  backgroundYields: false,
};
