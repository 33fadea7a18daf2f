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

/** The milliseconds that `work` takes, the processor time of this process in them, and the result. */
export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; cpu: number; result: T }> {
  const start = performance.now();
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - start, cpu: (user + system) / 1_000, result };
}

/** A client's measurements of one workload. Times in milliseconds. */
export interface Samples {
  /** One for each request with the expected response. */
  readonly times: readonly number[];
  /** Requests with another status, or with no response. */
  readonly failures: number;
  /** From the first request until the last response. */
  readonly elapsed: number;
}

/** The same as figures. Without a response, all but `failures` are `NaN`. */
export interface Summary {
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly failures: number;
}

export function summarize({ times, failures, elapsed }: Samples): Summary {
  if (times.length === 0) {
    return { requestsPerSecond: Number.NaN, p50: Number.NaN, p99: Number.NaN, failures };
  }
  return {
    requestsPerSecond: (times.length / elapsed) * 1_000,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    failures,
  };
}

/** How many times `theirs` the rate of `ours` is. */
export function ratioBetween(
  ours: Pick<Summary, 'requestsPerSecond'>,
  theirs: Pick<Summary, 'requestsPerSecond'>,
): number {
  return ours.requestsPerSecond / theirs.requestsPerSecond;
}
