/** Milliseconds before the end of an invocation at which the kernel responds. */
const early = 5;

/**
 * Waits for the work only as long as the platform gives it. Otherwise the platform would end the invocation without a response
 * and without a log line.
 * @param context what Lambda passes to a handler; without one there is no limit.
 * @param before milliseconds before the end at which to stop waiting.
 * @throws an `Error` named `TimeoutError` when the time is over.
 */
export async function withinTimeLimit<Result>(
  work: Promise<Result>,
  context: unknown,
  before = early,
): Promise<Result> {
  const { getRemainingTimeInMillis } = (context ?? {}) as { getRemainingTimeInMillis?: () => number };
  if (getRemainingTimeInMillis === undefined) {
    return work;
  }
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TimeoutError()), getRemainingTimeInMillis() - before);
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
