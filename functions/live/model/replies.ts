import { toFrame } from '../../../shared/events/outbox.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import type { Reply } from '../../../shared/kernel/schemas/reply-schemas.ts';
import { timestamp } from '../../../shared/kernel/time.ts';

/** A reply as one JSON text frame, for a connection to which no function is responding. */
export function replyFrame({ event, data }: Reply, { now, newId }: ClockAndIds): string {
  return toFrame({ id: newId(), event, at: timestamp(now), data });
}

/** The reply to a frame that is refused. */
export function errorFrame(message: string): Reply<'error'> {
  return { event: 'error', data: { message } };
}

/** For a connection without records, or with a disabled user. */
export const connectAgain = errorFrame(
  'This connection can no longer be used. Open a new one with a fresh socket token.',
);

/** For an expired connection. */
export const authenticateFirst = errorFrame(
  'This connection has expired. Send {"action": "authenticate", "token": "<socketToken>"} with a fresh socket token.',
);

/** For a user who has resumed too much lately. @throws any other error. */
export function tooOften(error: unknown): Reply<'error'> {
  if (error instanceof Failure && error.code === 'TOO_MANY_ATTEMPTS') {
    return errorFrame(
      `Too many events were replayed in a short time. Resume again in ${error.retryAfter} seconds.`,
    );
  }
  throw error;
}

/** For a client whose missed events cannot be replayed. */
export function resyncRequired(reason: string): Reply<'resync_required'> {
  return { event: 'resync_required', data: { message: `${reason} Reload everything.` } };
}
