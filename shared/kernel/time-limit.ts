/** Milliseconds before the platform ends an invocation at which the kernel answers by itself. */
const early = 5;

/**
 * What becomes of the work, as long as the platform gives it time; then the caller gets an answer, and the log a line, which the
 * platform would give neither.
 * @param context what Lambda hands to a handler; without one there is no limit.
 * @throws an `Error` called `TimeoutError` when the time is over.
 */
export async function withinTimeLimit<Result>(work: Promise<Result>, context: unknown): Promise<Result> {
  const { getRemainingTimeInMillis } = (context ?? {}) as { getRemainingTimeInMillis?: () => number };
  if (getRemainingTimeInMillis === undefined) {
    return work;
  }
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TimeoutError()), getRemainingTimeInMillis() - early);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

class TimeoutError extends Error {
  constructor() {
    super('The invocation took longer than its function may');
    this.name = 'TimeoutError';
  }
}
