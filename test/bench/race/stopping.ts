/** The process ends after this long when it is told to, whatever is still running; all that it has started ends with it. */
const stopMilliseconds = 10_000;

/**
 * Does the work until it is done or the process is told to end; then it is left as it is, to fail when what it needs is stopped.
 * @throws the error of the work, or one that says that it was ended.
 */
export function untilStopped<Result>(work: Promise<Result>): Promise<Result> {
  const stopped = Promise.withResolvers<never>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Not only once: a launcher passes on what its whole group has got.
    process.on(signal, () => {
      stopped.reject(new Error('It was ended.'));
      setTimeout(() => process.exit(1), stopMilliseconds).unref();
    });
  }
  return Promise.race([work, stopped.promise]);
}
