/**
 * Lets a read begin before it is certain that its result is needed: beside what decides that, not after it. Its failure counts where the
 * result is awaited, and nowhere else.
 */
export function readAhead<Result>(reading: Promise<Result>): Promise<Result> {
  reading.catch(() => undefined);
  return reading;
}
