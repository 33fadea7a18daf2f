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

/**
 * Tries until an attempt succeeds. @throws at once an error that is not retryable; after the last try, what `exhausted` makes of
 * its error.
 */
export async function retried<Result>(
  backoff: Backoff,
  random: () => number,
  attempt: () => Promise<Result>,
  {
    isRetryable,
    exhausted,
  }: { isRetryable: (error: unknown) => boolean; exhausted: (error: unknown) => Error },
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRetryable(error)) {
        throw error;
      }
      if (tries >= backoff.attempts) {
        throw exhausted(error);
      }
      await pause(random() * Math.min(backoff.longest, backoff.first * 2 ** (tries - 1)));
    }
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
