import { eventStep } from '../live/outbox.ts';
import type { Step, TableWriter } from '../table/table.ts';
import type { Notification } from './notification.ts';
import { notificationKey } from './notification.ts';
import type { Recipient } from './recipients.ts';
import { countStep } from './unread-counter.ts';

/** A notification for several users. */
export type Notice = Omit<Notification, 'userId' | 'isRead'>;

/**
 * The steps that store a notification for each of these users and send it to their open connections only. They are two for each
 * user and one for the event, so a transaction with 40 users has room for 19 more. If a user marks everything as read meanwhile,
 * the transaction fails with a version conflict: read the recipients again.
 */
export function notifySteps(
  table: TableWriter,
  notice: Notice,
  recipients: readonly Recipient[],
  eventId: string,
  now: Date,
): Step[] {
  if (recipients.length === 0) {
    return [];
  }
  const { _id, contactId, noteId, reminderId } = notice;
  const userIds = recipients.map(({ user }) => user._id);
  return [
    ...recipients.flatMap(({ user: { _id: userId }, counter }) => [
      table.add(notificationKey('INCOMING', userId, _id), {
        ...notice,
        userId,
        readAllEpoch: counter.readAllEpoch,
      }),
      countStep(table, userId, counter, 1),
    ]),
    eventStep(
      table,
      {
        event: 'notification_created',
        data: {
          notificationId: _id,
          contactId,
          noteId,
          reminderId,
          notification: { ...notice, isRead: false },
        },
        audience: { kind: 'users', userIds },
      },
      eventId,
      now,
    ),
  ];
}
