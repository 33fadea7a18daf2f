/** Waits before another try. Full jitter: spreads competitors most with the fewest tries. Source: AWS Architecture Blog, "Exponential Backoff And Jitter". */
export interface Backoff {
  /** Tries altogether. */
  readonly attempts: number;
  /** Milliseconds; doubles with each try up to `longest`. */
  readonly first: number;
  readonly longest: number;
}

export function backoffDelay(backoff: Backoff, attempt: number, random: () => number): number {
  return random() * Math.min(backoff.longest, backoff.first * 2 ** attempt);
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
