/** How long a process that was told to end may still run; all processes that it has started end with it. */
const stopMilliseconds = 10_000;

/**
 * Waits for the work until the process is told to end. The work is then not awaited any longer, and fails once what it needs is stopped.
 * @throws the error of the work, or one that says that the process was told to end.
 */
export function untilStopped<Result>(work: Promise<Result>): Promise<Result> {
  const stopped = Promise.withResolvers<never>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // More than once: a launcher passes on signals that its whole process group has received already.
    process.on(signal, () => {
      stopped.reject(new Error('It was ended.'));
      setTimeout(() => process.exit(1), stopMilliseconds).unref();
    });
  }
  return Promise.race([work, stopped.promise]);
}
