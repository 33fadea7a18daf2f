/** The value below which the share `q` of the samples lies; 0.5 is the median. */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  if (value === undefined) {
    throw new Error('There are no samples.');
  }
  return value;
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

/** Milliseconds that `work` takes, and what it answers. */
export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const start = performance.now();
  const result = await work();
  return { ms: performance.now() - start, result };
}
