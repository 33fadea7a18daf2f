import type { EventChange } from '../events/event-change.ts';
import { eventAction } from '../events/outbox.ts';
import type { EventData } from '../notifications/event-schemas.ts';
import type { NotificationRequest } from '../notifications/notification-request.ts';
import type { Action, TableWriter } from '../table/table.ts';

/**
 * The action that tells all members of a user, for the transaction of the change.
 * @param changed the names of the fields that changed; undefined for a new user.
 */
export function userEventAction(
  table: TableWriter,
  {
    userId,
    changed,
    account,
    notify,
  }: {
    readonly userId: string;
    readonly changed?: string[];
    readonly notify?: NotificationRequest | undefined;
  } & Pick<EventChange, 'account'>,
  { eventId, now }: { readonly eventId: string; readonly now: Date },
): Action {
  const change = changed === undefined ? 'created' : 'updated';
  const data: EventData['user_updated'] = { userId, change, changed: changed ?? [] };
  const audience = { kind: 'organization' } as const;
  const details = account && { account };
  return eventAction(table, { event: 'user_updated', data, audience, notify, change: details }, eventId, now);
}
