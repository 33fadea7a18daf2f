import { Failure } from '../kernel/failure.ts';
import { type Backoff, retried } from './backoff.ts';
import { VersionConflict } from './table.ts';

const backoff: Backoff = { attempts: 30, first: 5, longest: 250 };

/** The table's `optimistically`, for a source of randomness. */
export const optimistically =
  (random: () => number) =>
  <Result>(attempt: () => Promise<Result>): Promise<Result> =>
    retried(backoff, random, attempt, {
      isRetryable: (error) => error instanceof VersionConflict,
      exhausted: () =>
        new Failure('UNAVAILABLE', 'Too many changes to this record at once. Try again.', { retryAfter: 1 }),
    });
