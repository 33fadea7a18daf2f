import { eventAction } from '../live/outbox.ts';
import type { Action, TableWriter } from '../table/table.ts';

/**
 * The action that tells a user's connections in the transaction that ends sessions: one session, or all that the user's record does
 * not admit any more. The delivery of the event closes the connections of what has ended.
 */
export function sessionsEndedAction(
  table: TableWriter,
  { userId, sessionId }: { userId: string; sessionId?: string },
  eventId: string,
  now: Date,
): Action {
  const data = sessionId === undefined ? {} : { sessionId };
  const audience = { kind: 'user', userId } as const;
  return eventAction(table, { event: 'sessions_ended', data, audience }, eventId, now);
}
