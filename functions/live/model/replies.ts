import type { Reply } from '../../../shared/live/schemas/reply-schemas.ts';

/** A frame that says what is wrong with the one received, and what to do. */
export function errorFrame(message: string): Reply<'error'> {
  return { event: 'error', data: { message } };
}

/** For a connection whose records are gone, or whose user is disabled. */
export const connectAgain = errorFrame(
  'This connection can no longer be used. Open a new one with a fresh socket token.',
);

/** For a connection whose trust has ended. */
export const authenticateFirst = errorFrame(
  'This connection has expired. Send {"action": "authenticate", "token": "<socketToken>"} with a fresh socket token.',
);

/** For a client whose missed events cannot be replayed. */
export function resyncRequired(reason: string): Reply<'resync_required'> {
  return { event: 'resync_required', data: { message: `${reason} Reload everything.` } };
}
