import {
  type Call,
  callKey,
  callPeople,
  dueMissedCallText,
  isDiscarded,
  isMissed,
} from '../../../shared/calls/call.ts';
import { unlistedActions } from '../../../shared/calls/call-entries.ts';
import {
  aggregateOf,
  type ContactState,
  stateOf,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactIdIn } from '../../../shared/contacts/contact.ts';
import { contactRemoved } from '../../../shared/contacts/contact-events.ts';
import { isPlaceholder } from '../../../shared/contacts/placeholder-contact.ts';
import { cancelAction } from '../../../shared/due/due-entry.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { notFound } from '../../../shared/kernel/failure.ts';
import type { ClockAndIds, Ports } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { eventAction } from '../../../shared/live/outbox.ts';
import { noticesRange } from '../../../shared/notifications/notification.ts';
import {
  commitUnnotifying,
  foundEarly,
  type Notices,
  noticesOf,
} from '../../../shared/notifications/unnotify.ts';
import { deleteReminderActions, reminderKey } from '../../../shared/reminders/reminder.ts';
import type { Action } from '../../../shared/table/table.ts';
import { peopleOf, type Scope, scopeOf, sees } from '../../../shared/visibility.ts';
import { type Cascade, cascadeOf } from './discard-cascade.ts';
import { earlierCallsOf, lastTextTo } from './earlier-calls.ts';

export interface DiscardRequest {
  readonly contactId?: string | undefined;
  readonly deleteContact?: boolean | undefined;
}

/** Records of who was notified that are read before it is known which of them count. */
const maxEarly = 20;

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
  const [record, aggregate, scope, known] = await Promise.all([
    table.read(callKey(id)),
    aggregateOf(table, contactId),
    scopeOf(caller, table),
    table.list(noticesRange(contactId), { limit: maxEarly }),
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
  const mayDelete = aggregate !== undefined && mayDeleteContact(stateOf(aggregate), call, request, scope);
  const causes = [call._id, call.conversationId, call.reminderId];
  const [{ takes, ...cascade }, cancelling, reminder, notices, early] = await Promise.all([
    cascadeOf({ table, platform }, call, aggregate, mayDelete, now),
    cancellingActions({ table, platform }, call),
    withoutReminder({ table, platform }, call, known),
    // Only now: what comes after the call was read changes its version.
    isMissed(call) ? noticesOf(table, contactId, call._id) : [],
    foundEarly(
      table,
      known.filter(({ key }) => causes.includes(key.sort[1])),
    ),
  ]);
  const removed = takes === 'contact' && aggregate ? [contactRemoved(aggregate.contact.data)] : [];
  const actions = [
    table.replace(record, { _id: call._id, discardedAt: timestamp(now), people }),
    ...unlistedActions(table, call),
    ...cancelling,
    ...reminder.actions,
    ...cascade.actions,
    ...removed.map((event) => eventAction(table, event, eventId, now)),
  ];
  const all = [...notices, ...reminder.notices, ...cascade.notices];
  await commitUnnotifying(table, actions, all, early, clock);
  return takes;
}

/** Cancels the text that is scheduled for the caller, and its record, which would hold back the next text. */
async function cancellingActions(
  { table, platform }: Ports<{ table: 'write'; platform: 'write' }>,
  call: Call,
): Promise<Action[]> {
  const due = dueMissedCallText(call);
  if (due === undefined) {
    return [];
  }
  const lastText = await lastTextTo(table, call.contactId, call.from);
  return [
    cancelAction(platform, due),
    ...(lastText?.data.callId === call._id
      ? [table.delete(lastText.key, { ifVersion: lastText.version })]
      : []),
  ];
}

/**
 * Deletes the reminder to call back, and its record, which would hold back the next reminder; `notices` tell whom it has notified.
 * @param known what was read before of whom anything about the contact has notified.
 */
async function withoutReminder(
  { table, platform }: Ports<{ table: 'write'; platform: 'write' }>,
  { contactId, from, reminderId }: Call,
  known: Notices,
): Promise<{ readonly actions: readonly Action[]; readonly notices: Notices }> {
  if (reminderId === undefined) {
    return { actions: [], notices: [] };
  }
  const [reminder, { callBack }] = await Promise.all([
    table.read(reminderKey(contactId, reminderId)),
    earlierCallsOf(table, contactId, from),
  ]);
  // It notifies once, so this is all, if there is any.
  const notices = known.filter(({ key }) => key.sort[1] === reminderId);
  return {
    actions: [
      ...(reminder === undefined ? [] : deleteReminderActions({ table, platform }, reminder)),
      ...(callBack?.data.reminderId === reminderId
        ? [table.delete(callBack.key, { ifVersion: callBack.version })]
        : []),
    ],
    // Only then: if it fires at this moment, its version is another one.
    notices:
      notices.length === 0 && reminder?.data.fired ? await noticesOf(table, contactId, reminderId) : notices,
  };
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
    sees(scope, peopleOf(contact)) &&
    isPlaceholder(contact) &&
    conversations.length === 1 &&
    applications.length === 0
  );
}
