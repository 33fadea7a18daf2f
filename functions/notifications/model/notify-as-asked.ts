import { callKey, callPeople, isDiscarded } from '../../../shared/calls/call.ts';
import { contactKey } from '../../../shared/contacts/contact.ts';
import { conversationKey, conversationPeople } from '../../../shared/conversations/conversation.ts';
import { given } from '../../../shared/kernel/given.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { eventKeyOf, type StoredEvent } from '../../../shared/live/outbox.ts';
import type { NoticeRequest } from '../../../shared/notifications/notice-request.ts';
import { type Notice, notifyActions } from '../../../shared/notifications/notify.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import type { Action, Stored, TableWriter } from '../../../shared/table/table.ts';
import { unchanged } from '../../../shared/table/unchanged.ts';
import { peopleOf, sees } from '../../../shared/visibility.ts';
import { addresseesOf } from './addressees.ts';
import { byVisibility } from './by-visibility.ts';
import { isMarked, markAction } from './source.ts';
import { type CausingRecord, textsOf } from './texts.ts';

/** The ids in an event's data that a notification of it may have. */
type Links = Partial<Record<'contactId' | 'conversationId' | 'callId' | 'workflowId', string>>;

/**
 * Stores the notifications that an event asks for: for users who want them and may see the record now, if everything that it is about
 * still exists.
 */
export async function notifyAsAsked(
  table: TableWriter,
  { id, data }: StoredEvent,
  request: NoticeRequest,
  { now, newId }: Pick<ClockAndIds, 'now' | 'newId'>,
): Promise<void> {
  const { contactId, conversationId, callId, workflowId } = data as Links;
  const links = { contactId, conversationId, callId, workflowId };
  const ids = [newId(), newId()].map((notification) => ({ notification, event: newId() }));
  const { type, by } = request;
  await table.optimistically(async () => {
    const [source, contact, conversation, call, cause, actor] = await Promise.all([
      table.read(eventKeyOf(id)),
      contactId === undefined ? undefined : table.read(contactKey(contactId)),
      contactId === undefined || conversationId === undefined
        ? undefined
        : table.read(conversationKey(contactId, conversationId)),
      callId === undefined ? undefined : table.read(callKey(callId)),
      request.cause && table.read(request.cause),
      by === undefined ? undefined : table.read(userKey(by)),
    ]);
    const told = call === undefined || isDiscarded(call.data) ? undefined : call.data;
    const isGone =
      (contactId !== undefined && contact === undefined) ||
      (conversationId !== undefined && conversation === undefined) ||
      (callId !== undefined && told === undefined) ||
      (request.cause !== undefined && cause === undefined);
    if (source === undefined || isMarked(source) || isGone) {
      return;
    }
    const record: CausingRecord = {
      contact: contact?.data,
      conversation: conversation?.data,
      call: told,
    };
    const owner = contact?.data.owner ?? null;
    const to = request.to ?? (owner === null ? [] : [owner]);
    const wanted = to.filter((userId) => userId !== by);
    const people = peopleAround(record);
    const addressees = (await addresseesOf(table, wanted, type)).filter(
      ({ scope }) => people === undefined || sees(scope, people),
    );
    if (addressees.length === 0) {
      return;
    }
    const notices = byVisibility(addressees, contact?.data).flatMap(({ some, seen }, index) => {
      const { notification, event } = ids[index] ?? { notification: newId(), event: newId() };
      const texts = textsOf(request, { ...record, contact: seen, actor: actor?.data });
      const notice: Notice = {
        ...{ _id: notification, type, ...texts, ...given(links) },
        createdAt: timestamp(now),
      };
      return notifyActions(table, notice, some, event, now);
    });
    // If the call or the conversation is discarded at this moment, either that deletes these notifications, or this finds it discarded. A
    // conversation is discarded with a change of its contact.
    const isOfConversation = conversation !== undefined && call === undefined;
    await table.commit([
      markAction(table, source, now),
      ...(contact === undefined
        ? []
        : [isOfConversation ? unchanged(table, contact) : stillAs(table, contact)]),
      ...(call === undefined ? [] : [unchanged(table, call)]),
      ...(cause === undefined ? [] : [stillThere(table, cause)]),
      ...notices,
    ]);
  });
}

/** Requires that the contact has not changed since it was read: a user may no longer see it. */
function stillAs(table: TableWriter, { key, version }: Stored<unknown>): Action {
  return table.require(key, { when: 'version = :version', values: { version } });
}

/** Requires that the record has not been deleted: whatever follows its deletion finds the notification. */
function stillThere(table: TableWriter, { key }: Stored<unknown>): Action {
  return table.require(key, { when: 'attribute_exists(pk)' });
}

/** The users of what a notification is about, for the visibility rule; undefined for what is about no contact. */
function peopleAround({ contact, conversation, call }: CausingRecord): string[] | undefined {
  if (call !== undefined) {
    return callPeople(call, contact);
  }
  return contact && (conversation ? conversationPeople(contact, conversation) : peopleOf(contact));
}
