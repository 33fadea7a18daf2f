import { type Call, callKey, callPeople, isDiscarded, isMissed } from '../../../shared/calls/call.ts';
import { unlistedActions } from '../../../shared/calls/call-entries.ts';
import {
  type ContactState,
  readAggregate,
  toContactState,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactRemoved } from '../../../shared/contacts/contact-events.ts';
import { isPlaceholder } from '../../../shared/contacts/placeholder-contact.ts';
import { eventAction } from '../../../shared/events/outbox.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { contactIdIn } from '../../../shared/kernel/child-id.ts';
import { notFound } from '../../../shared/kernel/failure.ts';
import type { ClockAndIds, Ports } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import {
  commitDeletion,
  prefetchNotifications,
  readNotifiedBy,
} from '../../../shared/notifications/delete-notifications.ts';
import { contactNotifiedRange } from '../../../shared/notifications/notification.ts';
import { involvedPeople, readScope, type Scope, sees } from '../../../shared/organizations/visibility.ts';
import { type Cascade, prepareCascade } from './discard-cascade.ts';
import { cancelTextActions, prepareReminderDeletion } from './discard-follow-ups.ts';

export interface DiscardRequest {
  readonly contactId?: string | undefined;
  readonly deleteContact?: boolean | undefined;
}

/** Records of who was notified that are read before it is known which of them count. */
const maxPrefetched = 20;

/** The most that was deleted. */
export type Discarded = 'nothing' | Cascade['takes'];

/**
 * Discards a call in one transaction, with what existed only for it: its voice conversation, if that has no messages and no other
 * call, and on request the placeholder contact, if nothing else belongs to it; and with what users were notified of because of these.
 * Returns `nothing` if it was discarded before.
 * @throws a 404 `Failure` for a missing call; `VersionConflict` when something is added to the contact at the same moment.
 */
export async function discard(
  { table, platform }: Ports<{ table: 'write'; platform: 'write' }>,
  caller: Caller,
  id: string,
  request: DiscardRequest,
  { eventId, ...clock }: Pick<ClockAndIds, 'now' | 'newId'> & { readonly eventId: string },
): Promise<Discarded> {
  const { now } = clock;
  const contactId = contactIdIn(id);
  const [record, aggregate, scope, ofContact] = await Promise.all([
    table.read(callKey(id)),
    readAggregate(table, contactId),
    readScope(caller, table),
    table.list(contactNotifiedRange(contactId), { limit: maxPrefetched }),
  ]);
  if (record === undefined) {
    throw notFound('Call');
  }
  const call = record.data;
  const people = isDiscarded(call) ? call.people : callPeople(call, aggregate?.contact.data);
  if (!sees(scope, people)) {
    throw notFound('Call');
  }
  if (isDiscarded(call)) {
    return 'nothing';
  }
  const mayDelete =
    aggregate !== undefined && mayDeleteContact(toContactState(aggregate), call, request, scope);
  const causes = [call._id, call.conversationId, call.reminderId];
  const [{ takes, ...cascade }, cancelText, reminder, notified, prefetched] = await Promise.all([
    prepareCascade({ table, platform }, call, aggregate, mayDelete, now),
    cancelTextActions({ table, platform }, call),
    prepareReminderDeletion({ table, platform }, call, ofContact),
    // Only now: what comes after the call was read changes its version.
    isMissed(call) ? readNotifiedBy(table, call._id) : [],
    prefetchNotifications(
      table,
      ofContact.filter(({ key }) => causes.includes(key.sort[1])),
    ),
  ]);
  const removed = takes === 'contact' && aggregate ? [contactRemoved(aggregate.contact.data)] : [];
  const actions = [
    table.replace(record, { _id: call._id, discardedAt: timestamp(now), people }),
    ...unlistedActions(table, call),
    ...cancelText,
    ...reminder.actions,
    ...cascade.actions,
    ...removed.map((event) => eventAction(table, event, eventId, now)),
  ];
  const all = [...notified, ...reminder.notified, ...cascade.notified];
  await commitDeletion(table, actions, all, prefetched, clock);
  return takes;
}

/**
 * Whether the contact may be deleted, as far as it, its conversations and its applications show. The caller must also see the contact:
 * seeing the call is not enough to delete a colleague's contact.
 */
function mayDeleteContact(
  { contact, conversations, applications }: ContactState,
  { contactId }: Call,
  request: DiscardRequest,
  scope: Scope,
): boolean {
  return (
    request.deleteContact === true &&
    request.contactId === contactId &&
    sees(scope, involvedPeople(contact)) &&
    isPlaceholder(contact) &&
    conversations.length === 1 &&
    applications.length === 0
  );
}
