import { contactKey } from '../../../shared/contacts/contact.ts';
import { readOwner } from '../../../shared/contacts/holdings.ts';
import {
  conversationKey,
  conversationPeople,
  messageKey,
} from '../../../shared/conversations/conversation.ts';
import { eventAction, type StoredEvent } from '../../../shared/events/outbox.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { notificationContent } from '../../../shared/notifications/notification.ts';
import { messageNotification } from '../../../shared/notifications/notification-request.ts';
import {
  type NotificationContent,
  notificationEvent,
  notifyActions,
} from '../../../shared/notifications/notify.ts';
import { unreadAction } from '../../../shared/notifications/unread-counter.ts';
import { sees } from '../../../shared/organizations/visibility.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import { readAddressees } from './addressees.ts';
import { byVisibility } from './by-visibility.ts';
import {
  type GroupedAddressee,
  groupAction,
  type MessageGroups,
  messageGroupsKey,
  readGroups,
} from './message-groups.ts';
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
    const [message, home, conversation, groups] = await Promise.all([
      table.read(messageKey(conversationId, messageId)),
      table.read(contactKey(contactId)),
      table.read(conversationKey(conversationId)),
      table.read(messageGroupsKey(conversationId)),
    ]);
    const contact = await readOwner(table, conversation?.data, home);
    const isGone = message === undefined || contact === undefined || conversation === undefined;
    if (isGone || isMarked(message) || message.data.direction === 'outbound') {
      return;
    }
    const readers = to ?? messageNotification(conversation.data.assignees, contact.data.owner).to;
    const people = conversationPeople(contact.data, conversation.data);
    const addressees = (await readAddressees(table, readers, 'message')).filter(({ scope }) =>
      sees(scope, people),
    );
    if (addressees.length === 0) {
      return;
    }
    const grouped = await readGroups(table, addressees, groups?.data ?? {}, at);
    const parts = byVisibility(grouped, contact.data).map(({ some, seen }) => ({
      ...{ id: newId(), some, textsFor: (count: number) => messageTexts(seen, message.data, count) },
      starting: some.filter(({ current }) => current === undefined),
    }));
    const started: MessageGroups = Object.fromEntries(
      parts.flatMap(({ id, starting }) => starting.map(({ user }) => [user._id, { id, since: at }])),
    );
    const notifying = parts.flatMap(({ id, some, starting, textsFor }) => {
      const notification: NotificationContent = {
        _id: id,
        type: 'message',
        ...textsFor(1),
        ...{ contactId: contact.data._id, conversationId, messageId, count: 1 },
        createdAt: timestamp(now),
      };
      return [
        ...notifyActions(table, notification, starting, newId(), now),
        ...some.flatMap((addressee) =>
          countingActions(table, addressee, textsFor, messageId, { eventId: newId(), now }),
        ),
      ];
    });
    await table.commit([
      markAction(table, message, now),
      ...(Object.keys(started).length === 0
        ? []
        : [groupAction(table, conversation.data, groups, started, at)]),
      ...notifying,
    ]);
  });
}

/** The actions that count another message in the user's current notification; none without one. */
function countingActions(
  table: TableWriter,
  { user: { _id: userId }, counter, current }: GroupedAddressee,
  textsFor: (count: number) => Pick<NotificationContent, 'title' | 'message'>,
  messageId: string,
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
    eventAction(
      table,
      notificationEvent('notification_updated', notificationContent(counted), [userId]),
      eventId,
      now,
    ),
  ];
}
