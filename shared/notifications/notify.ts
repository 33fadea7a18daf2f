import { eventAction, type NewEvent } from '../events/outbox.ts';
import { type User, userKey } from '../organizations/user.ts';
import type { Key } from '../table/key.ts';
import type { Action, TableReader, TableWriter } from '../table/table.ts';
import type { Notification } from './notification.ts';
import { notificationCauseId, notificationKey, notifiedKey, workflowNotifiedKey } from './notification.ts';
import { countAction, type UnreadCounter, unreadCounterIn, unreadCounterKey } from './unread-counter.ts';

/** The content of a notification, for whichever user. */
export type NotificationContent = Omit<Notification, 'userId' | 'isRead'>;

export interface Recipient {
  readonly user: User;
  readonly counter: UnreadCounter;
}

/**
 * Reads up to 50 users with what notifying them needs, in one round trip. Undefined for an id without a user in the organization.
 */
export async function findRecipients(
  table: TableReader,
  userIds: readonly string[],
): Promise<(Recipient | undefined)[]> {
  const asked: Key<unknown>[] = [...userIds.map(userKey), ...userIds.map(unreadCounterKey)];
  const found = await table.readMany(asked);
  return userIds.map((_, index) => {
    const user = found[index]?.data as User | undefined;
    return user && { user, counter: unreadCounterIn(found[index + userIds.length]) };
  });
}

/**
 * The actions that store a notification for each of these users, and send it to their open connections. They are two for each user, and
 * two for the event and the contact's list (three with a workflow), so a transaction with 40 users has room for 17 more. If a user marks
 * everything as read at this moment, the transaction fails with a version conflict: read the recipients again. `more` are further details
 * of the event.
 */
export function notifyActions(
  table: TableWriter,
  notification: NotificationContent,
  recipients: readonly Recipient[],
  eventId: string,
  now: Date,
  more: Pick<NewEvent, 'change' | 'causedBy'> = {},
): Action[] {
  if (recipients.length === 0) {
    return [];
  }
  const { _id, contactId, workflowId } = notification;
  const userIds = recipients.map(({ user }) => user._id);
  return [
    ...recipients.flatMap(({ user: { _id: userId }, counter }) => [
      table.add(notificationKey('INCOMING', userId, _id), {
        ...notification,
        userId,
        readAllEpoch: counter.readAllEpoch,
      }),
      countAction(table, userId, counter, 1),
    ]),
    ...(contactId === undefined
      ? []
      : [
          table.put(notifiedKey(notificationCauseId({ ...notification, contactId }), _id), {
            userIds,
          }),
        ]),
    ...(workflowId === undefined ? [] : [table.put(workflowNotifiedKey(workflowId, _id), { userIds })]),
    eventAction(
      table,
      { ...notificationEvent('notification_created', notification, userIds), ...more },
      eventId,
      now,
    ),
  ];
}

/** The event that tells these users of their notification. */
export function notificationEvent(
  event: 'notification_created' | 'notification_updated',
  notification: NotificationContent,
  userIds: readonly string[],
): NewEvent {
  const { _id, contactId, noteId, reminderId, conversationId, messageId, callId, workflowId } = notification;
  return {
    event,
    data: {
      notificationId: _id,
      ...{ contactId, noteId, reminderId, conversationId, messageId, callId, workflowId },
      notification: { ...notification, isRead: false },
    },
    audience: { kind: 'users', userIds },
  };
}
