import { Failure } from '../kernel/failure.ts';
import { type Retries, retry } from './retry.ts';
import { VersionConflict } from './table.ts';

const retries: Retries = {
  attempts: 30,
  first: 5,
  longest: 250,
  isTransient: (error) => error instanceof VersionConflict,
  exhausted: () =>
    new Failure('UNAVAILABLE', 'Too many changes to this record at once. Try again.', { retryAfter: 1 }),
};

/**
 * Runs a read-decide-write under version conditions until no other writer comes between.
 * @throws a 503 `Failure` when the record never rests.
 */
export function optimistically<Result>(
  random: () => number,
  attempt: () => Promise<Result>,
): Promise<Result> {
  return retry(attempt, retries, random);
}
