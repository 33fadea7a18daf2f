import { Failure } from '../kernel/failure.ts';
import { type Backoff, backoffDelay, pause } from './backoff.ts';
import { VersionConflict } from './table.ts';

const backoff: Backoff = { attempts: 30, first: 5, longest: 250 };

/**
 * Runs a read-decide-write under version conditions until no other writer comes between.
 * @throws a 503 `Failure` when the record never rests.
 */
export async function optimistically<Result>(
  random: () => number,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 0; tries < backoff.attempts; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof VersionConflict)) {
        throw error;
      }
      await pause(backoffDelay(backoff, tries, random));
    }
  }
  throw new Failure('UNAVAILABLE', 'Too many changes to this record at once. Try again.', { retryAfter: 1 });
}
