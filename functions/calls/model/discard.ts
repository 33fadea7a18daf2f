import {
  type Call,
  callKey,
  callPeople,
  contactCallKey,
  contactCallRange,
  dueMissedCallText,
  isDiscarded,
  isMissed,
} from '../../../shared/calls/call.ts';
import { unlistedActions } from '../../../shared/calls/call-entries.ts';
import { callBackKey, missedCallTextKey } from '../../../shared/calls/missed-call.ts';
import {
  aggregateOf,
  type ContactAggregate,
  type ContactState,
  stateOf,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactDeletion } from '../../../shared/contact-aggregate/contact-deletion.ts';
import { contactWrites } from '../../../shared/contact-aggregate/contact-writes.ts';
import { contactIdIn, contactKey, contactRange } from '../../../shared/contacts/contact.ts';
import { contactRemoved } from '../../../shared/contacts/contact-events.ts';
import { isPlaceholder } from '../../../shared/contacts/placeholder-contact.ts';
import { conversationKey } from '../../../shared/conversations/conversation.ts';
import { cancelAction } from '../../../shared/due/due-entry.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { notFound } from '../../../shared/kernel/failure.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { eventAction } from '../../../shared/live/outbox.ts';
import { noticeKey } from '../../../shared/notifications/notification.ts';
import { unnotifyOfActions } from '../../../shared/notifications/unnotify.ts';
import { deleteReminderActions, reminderKey } from '../../../shared/reminders/reminder.ts';
import { joined } from '../../../shared/table/key.ts';
import { type Action, type TableWriter, VersionConflict } from '../../../shared/table/table.ts';
import { peopleOf, type Scope, scopeOf, sees } from '../../../shared/visibility.ts';
import { earlierCallsOf, lastTextTo } from './earlier-calls.ts';

export interface DiscardRequest {
  readonly contactId?: string | undefined;
  readonly deleteContact?: boolean | undefined;
}

/** The most that was deleted. */
export type Discarded = 'nothing' | 'call' | 'conversation' | 'contact';

/**
 * Discards a call in one transaction, with what existed only for it: its voice conversation, if that has no messages and no other
 * call, and on request the placeholder contact, if nothing else belongs to it. Returns `nothing` if it was discarded before.
 * @throws a 404 `Failure` for a missing call; `VersionConflict` when something is added to the contact at the same moment.
 */
export async function discard(
  { table, platform }: Ports<{ table: 'write'; platform: 'write' }>,
  caller: Caller,
  id: string,
  request: DiscardRequest,
  { eventId, now }: { eventId: string; now: Date },
): Promise<Discarded> {
  const [record, aggregate, scope] = await Promise.all([
    table.read(callKey(id)),
    aggregateOf(table, contactIdIn(id)),
    scopeOf(caller, table),
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
  const [{ takes, actions }, ...own] = await Promise.all([
    cascade({ table, platform }, call, aggregate, mayDelete, now),
    cancellingActions({ table, platform }, call),
    withoutReminder({ table, platform }, call),
  ]);
  const removed = takes === 'contact' && aggregate ? [contactRemoved(aggregate.contact.data)] : [];
  await table.commit([
    table.replace(record, { _id: call._id, discardedAt: timestamp(now), people }),
    ...unlistedActions(table, call),
    ...own.flat(),
    ...actions,
    ...removed.map((event) => eventAction(table, event, eventId, now)),
  ]);
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

/** Deletes the reminder to call back, and its record, which would hold back the next reminder, and what users were notified of. */
async function withoutReminder(
  { table, platform }: Ports<{ table: 'write'; platform: 'write' }>,
  call: Call,
): Promise<Action[]> {
  const { contactId, from, reminderId } = call;
  if (reminderId === undefined) {
    return withoutNotifications(table, call);
  }
  const [reminder, { callBack }] = await Promise.all([
    table.read(reminderKey(contactId, reminderId)),
    earlierCallsOf(table, contactId, from),
  ]);
  return [
    ...(reminder === undefined ? [] : deleteReminderActions({ table, platform }, reminder)),
    ...(callBack?.data.reminderId === reminderId
      ? [table.delete(callBack.key, { ifVersion: callBack.version })]
      : []),
    // Only then: the reminder may fire at this moment.
    ...(await withoutNotifications(table, call)),
  ];
}

/** Deletes the notifications of a missed call and of its reminder. */
function withoutNotifications(table: TableWriter, call: Call): Promise<Action[]> {
  const { _id, contactId, reminderId } = call;
  return unnotifyOfActions(table, contactId, [
    ...(isMissed(call) ? [_id] : []),
    ...(reminderId ? [reminderId] : []),
  ]);
}

interface Cascade {
  readonly takes: Exclude<Discarded, 'nothing'>;
  readonly actions: readonly Action[];
}

const callAlone: Cascade = { takes: 'call', actions: [] };

/**
 * What is deleted with the call, and the actions that do it if nothing changes meanwhile. Adding a child raises the contact's
 * version, so the children are read only after the version, and never in the same round trip.
 */
async function cascade(
  { table, platform }: Ports<{ table: 'write'; platform: 'write' }>,
  call: Call,
  aggregate: ContactAggregate | undefined,
  mayDelete: boolean,
  now: Date,
): Promise<Cascade> {
  const conversation = aggregate?.conversations.find(({ data }) => data._id === call.conversationId)?.data;
  if (aggregate === undefined || conversation === undefined || conversation.messageCount > 0) {
    return callAlone;
  }
  const [otherCall, others] = await Promise.all([
    otherCallOf(table, call),
    mayDelete ? otherRecords(table, call) : undefined,
  ]);
  if (otherCall !== undefined) {
    // If two calls are discarded at once, the later one must see that it is the last.
    const stillThere = table.require(contactCallKey(call.contactId, otherCall), {
      when: 'attribute_exists(pk)',
    });
    return { takes: 'call', actions: [stillThere] };
  }
  if (others?.some(({ isCall }) => isCall)) {
    // Another call was deleted between the two reads, so it does not keep the contact.
    throw new VersionConflict();
  }
  return others?.length === 0
    ? { takes: 'contact', actions: contactDeletion({ table, platform }, aggregate, now) }
    : {
        takes: 'conversation',
        actions: contactWrites(table, aggregate, withoutConversation(stateOf(aggregate), conversation._id)),
      };
}

async function otherCallOf(table: TableWriter, { _id, contactId }: Call): Promise<string | undefined> {
  const calls = await table.list(contactCallRange(contactId), { limit: 2 });
  return calls.map(({ data }) => data._id).find((id) => id !== _id);
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

/** The contact, its voice conversation, the call, its reminder, the records of the last text and reminder for its one number. */
const ownRecords = 6;

/** Up to this many records of notified users do not keep the contact from being deleted. */
const maxNotices = 50;

/** The contact's other children, of any kind, beside the call and its conversation; one is enough. */
async function otherRecords(
  table: TableWriter,
  { _id, contactId, conversationId, from, reminderId }: Call,
): Promise<{ isCall: boolean }[]> {
  const own = [
    contactKey(contactId),
    conversationKey(contactId, conversationId),
    contactCallKey(contactId, _id),
    ...(from === undefined ? [] : [missedCallTextKey(contactId, from), callBackKey(contactId, from)]),
    ...(reminderId === undefined ? [] : [reminderKey(contactId, reminderId)]),
  ].map(({ sort }) => joined(sort));
  const [callKind] = contactCallKey(contactId, _id).sort;
  const [noticeKind] = noticeKey(contactId, '-', '-').sort;
  const records = await table.list(contactRange(contactId), { limit: ownRecords + maxNotices + 1 });
  const isAll = records.length <= ownRecords + maxNotices;
  return records
    .filter(({ key }) => !own.includes(joined(key.sort)))
    .filter(({ key }) => !isAll || key.sort[0] !== noticeKind)
    .map(({ key }) => ({ isCall: key.sort[0] === callKind }));
}

function withoutConversation({ contact, conversations, ...rest }: ContactState, id: string): ContactState {
  const left = conversations.filter(({ _id }) => _id !== id);
  const conversationAssignees = [...new Set(left.flatMap(({ assignees }) => assignees))];
  return { ...rest, contact: { ...contact, conversationAssignees }, conversations: left };
}
