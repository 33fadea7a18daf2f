import { unavailable } from './transient-errors.ts';

/** When an invocation must end. */
export interface Deadline {
  /** Milliseconds until the kernel responds in place of the operation; negative afterwards, infinite without a limit. */
  left(): number;
}

export const noDeadline: Deadline = { left: () => Number.POSITIVE_INFINITY };

/** Milliseconds before the end of an invocation at which the kernel responds: enough for the response and its log line. */
const early = 500;

/**
 * The deadline of an invocation.
 * @param context what Lambda passes to a handler; without one there is no limit.
 * @param gateway milliseconds after which the gateway gives up, if one waits for the response.
 */
export function deadlineIn(context: unknown, gateway = Number.POSITIVE_INFINITY): Deadline {
  const { getRemainingTimeInMillis } = (context ?? {}) as { getRemainingTimeInMillis?: () => number };
  if (getRemainingTimeInMillis === undefined) {
    return noDeadline;
  }
  const end = performance.now() + Math.min(getRemainingTimeInMillis(), gateway) - early;
  return { left: () => end - performance.now() };
}

/**
 * Waits for the work until its deadline. Otherwise the platform would end the invocation without a response and without a log line.
 * After that, the table, the object store and the sockets refuse requests of this work (`requireTime`): otherwise it would continue
 * when the process wakes up for another invocation.
 * @throws a 503 `Failure` at the deadline.
 */
export async function raceDeadline<Result>(deadline: Deadline, work: Promise<Result>): Promise<Result> {
  const left = deadline.left();
  if (left === Number.POSITIVE_INFINITY) {
    return work;
  }
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(unavailable(new TimeoutError())), Math.max(0, left));
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws a 503 `Failure` after the deadline: the client has its response, so nothing more may be read or written for it. */
export function requireTime(deadline: Deadline): void {
  if (deadline.left() <= 0) {
    throw unavailable(new TimeoutError());
  }
}

class TimeoutError extends Error {
  constructor() {
    super('The invocation took longer than its function may');
    this.name = 'TimeoutError';
  }
}
