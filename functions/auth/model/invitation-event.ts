import { eventAction } from '../../../shared/events/outbox.ts';
import type { EventData } from '../../../shared/notifications/event-schemas.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';

/** The action that tells the administrators what became of an invitation, for the transaction of the change. */
export function invitationEventAction(
  table: TableWriter,
  data: EventData['invitation_updated'],
  { eventId, now }: { readonly eventId: string; readonly now: Date },
): Action {
  // Whoever sees every record sees this one, which belongs to nobody.
  const audience = { kind: 'record', people: [] } as const;
  return eventAction(table, { event: 'invitation_updated', data, audience }, eventId, now);
}
