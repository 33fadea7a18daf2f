import type { EventChange } from '../events/event-change.ts';
import { eventAction } from '../events/outbox.ts';
import type { Action, TableWriter } from '../table/table.ts';

/**
 * The action that writes the event of a transaction that ends sessions: one session, or all that the user's record no longer admits.
 * Delivering the event closes the connections of the ended sessions.
 */
export function sessionsEndedAction(
  table: TableWriter,
  { userId, sessionId, account }: { userId: string; sessionId?: string } & Pick<EventChange, 'account'>,
  eventId: string,
  now: Date,
): Action {
  const data = sessionId === undefined ? {} : { sessionId };
  const audience = { kind: 'user', userId } as const;
  const change = account && { account };
  return eventAction(table, { event: 'sessions_ended', data, audience, change }, eventId, now);
}
