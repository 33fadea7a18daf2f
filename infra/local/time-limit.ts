import { url as debuggerUrl } from 'node:inspector';

const hour = 3_600_000;

/** A time limit in milliseconds: an hour while a debugger may attach, so that no breakpoint ends a call. */
export const unlessDebugged = (milliseconds: number) => (debuggerUrl() === undefined ? milliseconds : hour);

/** Work took longer than the gateway waits for it. */
export class TimeLimitExceeded extends Error {}

/** Settles as `work` does; rejects with TimeLimitExceeded when that takes too long, while the work goes on. */
export async function limitTime<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const timeUp = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeUp.reject(new TimeLimitExceeded()), milliseconds);
  try {
    return await Promise.race([work, timeUp.promise]);
  } finally {
    clearTimeout(timer);
  }
}
