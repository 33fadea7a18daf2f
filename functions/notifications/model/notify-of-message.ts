import { contactKey } from '../../../shared/contacts/contact.ts';
import {
  conversationKey,
  conversationPeople,
  type Message,
  messageKey,
} from '../../../shared/conversations/conversation.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { eventAction, type StoredEvent } from '../../../shared/live/outbox.ts';
import { messageNotice } from '../../../shared/notifications/notice-request.ts';
import { toNotice } from '../../../shared/notifications/notification.ts';
import { type Notice, noticeEvent, notifyActions } from '../../../shared/notifications/notify.ts';
import { unreadAction } from '../../../shared/notifications/unread-counter.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import { sees } from '../../../shared/visibility.ts';
import { addresseesOf } from './addressees.ts';
import { byVisibility } from './by-visibility.ts';
import { type GroupedAddressee, groupAction, messageGroupsKey, withGroups } from './message-groups.ts';
import { isMarked, markAction } from './source.ts';
import { messageTexts } from './texts.ts';

/**
 * Notifies of an inbound message: a user who has an unread notification about messages of the conversation within five minutes
 * finds it counted there.
 * @param to the users to notify, if they see the conversation; undefined for an event of an older version, which did not name them.
 */
export async function notifyOfMessage(
  table: TableWriter,
  { at, data }: StoredEvent,
  to: readonly string[] | undefined,
  { now, newId }: Pick<ClockAndIds, 'now' | 'newId'>,
): Promise<void> {
  const { contactId, conversationId, messageId } = data as Record<string, string>;
  if (contactId === undefined || conversationId === undefined || messageId === undefined) {
    return;
  }
  await table.optimistically(async () => {
    const [message, contact, conversation, groups] = await Promise.all([
      table.read(messageKey(contactId, conversationId, messageId)),
      table.read(contactKey(contactId)),
      table.read(conversationKey(contactId, conversationId)),
      table.read(messageGroupsKey(contactId, conversationId)),
    ]);
    const isGone = message === undefined || contact === undefined || conversation === undefined;
    if (isGone || isMarked(message) || message.data.direction === 'outbound') {
      return;
    }
    const readers = to ?? messageNotice(conversation.data.assignees, contact.data.owner).to;
    const people = conversationPeople(contact.data, conversation.data);
    const addressees = (await addresseesOf(table, readers, 'message')).filter(({ scope }) =>
      sees(scope, people),
    );
    if (addressees.length === 0) {
      return;
    }
    const grouped = await withGroups(table, addressees, groups?.data ?? {}, at);
    const begun: Record<string, { id: string; since: string }> = {};
    const actions = byVisibility(grouped, contact.data).flatMap(({ some, seen }) => {
      const fresh = some.filter(({ current }) => current === undefined);
      const notice: Notice = {
        _id: newId(),
        type: 'message',
        ...messageTexts(seen, message.data, 1),
        ...{ contactId, conversationId, messageId, count: 1 },
        createdAt: timestamp(now),
      };
      for (const { user } of fresh) {
        begun[user._id] = { id: notice._id, since: at };
      }
      return [
        ...notifyActions(table, notice, fresh, newId(), now),
        ...some.flatMap((one) =>
          countedActions(table, one, (count) => messageTexts(seen, message.data, count), message.data, {
            eventId: newId(),
            now,
          }),
        ),
      ];
    });
    await table.commit([
      markAction(table, message, now),
      ...(Object.keys(begun).length === 0 ? [] : [groupAction(table, conversation.data, groups, begun, at)]),
      ...actions,
    ]);
  });
}

/** The actions that count another message in the user's current notification; none without one. */
function countedActions(
  table: TableWriter,
  { user: { _id: userId }, counter, current }: GroupedAddressee,
  textsFor: (count: number) => Pick<Notice, 'title' | 'message'>,
  { _id: messageId }: Message,
  { eventId, now }: { readonly eventId: string; readonly now: Date },
): Action[] {
  if (current === undefined) {
    return [];
  }
  const { count: before = 1, message, messageId: last = '' } = current.data;
  const { title, ...newest } = textsFor(before + 1);
  const isNewer = messageId > last;
  const counted = {
    ...current.data,
    title,
    message: isNewer ? newest.message : message,
    messageId: isNewer ? messageId : last,
    count: before + 1,
  };
  return [
    table.replace(current, counted),
    unreadAction(table, userId, counter),
    eventAction(table, noticeEvent('notification_updated', toNotice(counted), [userId]), eventId, now),
  ];
}
