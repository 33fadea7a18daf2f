import { type CallRecord, callKey, callPeople, isDiscarded } from '../../../shared/calls/call.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { readContact, readOwner } from '../../../shared/contacts/holdings.ts';
import { conversationKey, conversationPeople } from '../../../shared/conversations/conversation.ts';
import { eventKeyFor, type StoredEvent } from '../../../shared/events/outbox.ts';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import type { NotificationRequest } from '../../../shared/notifications/notification-request.ts';
import { type NotificationContent, notifyActions } from '../../../shared/notifications/notify.ts';
import { type User, userKey } from '../../../shared/organizations/user.ts';
import { involvedPeople, sees } from '../../../shared/organizations/visibility.ts';
import { raiseVersion } from '../../../shared/table/raise-version.ts';
import type { Action, Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';
import { type Addressee, readAddressees } from './addressees.ts';
import { byCount, byVisibility } from './by-visibility.ts';
import { isMarked, markAction } from './source.ts';
import { type CausingRecord, notificationTexts } from './texts.ts';

/** The ids in an event's data that a notification of it may have. */
type Links = Partial<Record<'contactId' | 'conversationId' | 'callId' | 'workflowId', string>>;

/** The subject of an event, as it was read. */
interface Subject {
  readonly source: Stored<StoredEvent>;
  readonly record: CausingRecord & { readonly actor: User | undefined };
  readonly contact: Stored<StoredContact> | undefined;
  readonly call: Stored<CallRecord> | undefined;
  readonly cause: Stored<unknown> | undefined;
}

/**
 * Stores the notifications that an event asks for: for users who want them and may see the record now, if everything that it is about
 * still exists.
 */
export async function notifyAsAsked(
  table: TableWriter,
  event: StoredEvent,
  request: NotificationRequest,
  { now, newId }: Pick<ClockAndIds, 'now' | 'newId'>,
): Promise<void> {
  const { contactId, conversationId, callId, workflowId } = event.data as Links;
  const links = { contactId, conversationId, callId, workflowId };
  const ids = [newId(), newId()].map((notification) => ({ notification, event: newId() }));
  await table.optimistically(async () => {
    const subject = await subjectOf(table, event, request);
    const addressees = subject ? await addresseesWhoSee(table, request, subject.record) : [];
    if (subject === undefined || addressees.length === 0) {
      return;
    }
    const { source, record } = subject;
    const alike = request.counts
      ? byCount(addressees, request.counts)
      : byVisibility(addressees, record.contact);
    const notifying = alike.flatMap(({ some, seen, count }, index) => {
      const id = ids[index] ?? { notification: newId(), event: newId() };
      const notification: NotificationContent = {
        ...{ _id: id.notification, type: request.type },
        ...notificationTexts(request, { ...record, contact: seen, count }),
        ...definedOnly({ ...links, contactId: record.contact?._id, count }),
        createdAt: timestamp(now),
      };
      return notifyActions(table, notification, some, id.event, now);
    });
    await table.commit([
      markAction(table, source, now),
      ...requireSubjectActions(table, subject),
      ...notifying,
    ]);
  });
}

/** Reads what an event is about; undefined if some of it is gone, or if the notifications of the event are stored already. */
async function subjectOf(
  table: TableReader,
  { id, data }: StoredEvent,
  request: NotificationRequest,
): Promise<Subject | undefined> {
  const { contactId, conversationId, callId } = data as Links;
  const { by } = request;
  const [source, named, conversation, call, cause, actor] = await Promise.all([
    table.read(eventKeyFor(id)),
    contactId === undefined ? undefined : readContact(table, contactId),
    contactId === undefined || conversationId === undefined
      ? undefined
      : table.read(conversationKey(conversationId)),
    callId === undefined ? undefined : table.read(callKey(callId)),
    request.cause && table.read(request.cause),
    by === undefined ? undefined : table.read(userKey(by)),
  ]);
  const contact = await (conversation === undefined ? named : readOwner(table, conversation.data, named));
  const record = {
    contact: contact?.data,
    conversation: conversation?.data,
    call: call === undefined || isDiscarded(call.data) ? undefined : call.data,
    actor: actor?.data,
  };
  const isGone =
    (contactId !== undefined && contact === undefined) ||
    (conversationId !== undefined && conversation === undefined) ||
    (callId !== undefined && record.call === undefined) ||
    (request.cause !== undefined && cause === undefined);
  return source === undefined || isMarked(source) || isGone
    ? undefined
    : { source, record, contact, call, cause };
}

/** The users to notify, unless they do not want that or may not see the record. */
async function addresseesWhoSee(
  table: TableReader,
  { type, to, by }: NotificationRequest,
  record: CausingRecord,
): Promise<Addressee[]> {
  const owner = record.contact?.owner ?? null;
  const wanted = (to ?? (owner === null ? [] : [owner])).filter((userId) => userId !== by);
  const people = peopleAround(record);
  const addressees = await readAddressees(table, wanted, type);
  return addressees.filter(({ scope }) => people === undefined || sees(scope, people));
}

/**
 * The actions that require that what the notifications are about has not changed: a user may no longer see the contact. If the call or the
 * conversation is discarded at this moment, either that deletes these notifications, or this finds it discarded; a conversation is
 * discarded with a change of its contact. What follows the deletion of the cause must find the notifications, too.
 */
function requireSubjectActions(table: TableWriter, { record, contact, call, cause }: Subject): Action[] {
  const isOfConversation = record.conversation !== undefined && call === undefined;
  return [
    ...(contact === undefined
      ? []
      : [
          isOfConversation
            ? raiseVersion(table, contact)
            : table.require(contact.key, { ifVersion: contact.version }),
        ]),
    ...(call === undefined ? [] : [raiseVersion(table, call)]),
    ...(cause === undefined ? [] : [table.require(cause.key, { when: 'attribute_exists(pk)' })]),
  ];
}

/** The users of what a notification is about, for the visibility rule; undefined for what is about no contact. */
function peopleAround({ contact, conversation, call }: CausingRecord): string[] | undefined {
  if (call !== undefined) {
    return callPeople(call, contact);
  }
  return contact && (conversation ? conversationPeople(contact, conversation) : involvedPeople(contact));
}
