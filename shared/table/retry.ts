/** How an attempt that failed is repeated. Full jitter: spreads competitors most with the fewest tries. Source: AWS Architecture Blog, "Exponential Backoff And Jitter". */
export interface Retries {
  /** Tries altogether. */
  readonly attempts: number;
  /** Milliseconds before the second try, at most; doubles with each further one up to `longest`. */
  readonly first: number;
  readonly longest: number;
  /** Whether another try makes sense after this error. */
  isTransient(error: unknown): boolean;
  /** The error after the last try, in place of this one. */
  exhausted(error: unknown): Error;
}

/** @throws what `exhausted` says when no try succeeds; an error that is not transient as it is. */
export async function retry<Result>(
  attempt: () => Promise<Result>,
  { attempts, first, longest, isTransient, exhausted }: Retries,
  random: () => number,
): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error)) {
        throw error;
      }
      if (tried >= attempts) {
        throw exhausted(error);
      }
      await pause(random() * Math.min(longest, first * 2 ** (tried - 1)));
    }
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
