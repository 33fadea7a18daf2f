import type { Reply } from '../../../shared/kernel/reply-schemas.ts';

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

/** For a client whose missed events cannot be replayed. */
export function resyncRequired(reason: string): Reply<'resync_required'> {
  return { event: 'resync_required', data: { message: `${reason} Reload everything.` } };
}
