import type { Deadline } from '../kernel/deadline.ts';

/**
 * Waits between tries, with full jitter, which spreads competitors best. Source: AWS Architecture Blog, "Exponential Backoff And
 * Jitter".
 */
export interface Backoff {
  /** Including the first try. */
  readonly attempts: number;
  /** Milliseconds; doubles with each try up to `longest`. */
  readonly first: number;
  readonly longest: number;
}

/** When and how to try again. */
export interface Retries extends Backoff {
  /** A number in [0, 1). */
  random(): number;
  readonly deadline: Deadline;
}

/**
 * Tries until an attempt succeeds. @throws at once an error that is not retryable; after the last try, and when the rest of the time
 * would not do for one as long as the last, what `exhausted` makes of its error.
 */
export async function retry<Result>(
  { attempts, first, longest, random, deadline }: Retries,
  attempt: () => Promise<Result>,
  {
    isRetryable,
    exhausted,
  }: { isRetryable: (error: unknown) => boolean; exhausted: (error: unknown) => Error },
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const before = deadline.left();
    try {
      return await attempt();
    } catch (error) {
      if (!isRetryable(error)) {
        throw error;
      }
      const wait = random() * Math.min(longest, first * 2 ** (tries - 1));
      if (tries >= attempts || !isTimeFor(deadline, before, wait)) {
        throw exhausted(error);
      }
      await pause(wait);
    }
  }
}

/** Whether there is time to wait and try once more, given how much was left before the last try. */
function isTimeFor(deadline: Deadline, before: number, wait: number): boolean {
  const left = deadline.left();
  return left === Number.POSITIVE_INFINITY || left >= wait + before - left;
}

/** Resolves after this time. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
