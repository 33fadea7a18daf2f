import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import {
  isUnread,
  notificationKey,
  toNotificationResponse,
} from '../../shared/notifications/notification.ts';
import { NotificationResponse } from '../../shared/notifications/notification-response.ts';
import { countAction, readUnreadCounter } from '../../shared/notifications/unread-counter.ts';

export default operation({
  route: 'PATCH /api/notifications/{id}/read',
  summary: 'Mark a notification as read',
  description:
    'Marking a notification that is already read changes nothing and returns 200, too. Notifications of other users return 404.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: changeResponse(NotificationResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.notification } },
  uses: { table: 'write' },
  async run({ path: { id } }, { table, caller: { userId } }) {
    return table.optimistically(async () => {
      const opened = notificationKey('OPENED', userId, id);
      const [incoming, counter] = await Promise.all([
        table.read(notificationKey('INCOMING', userId, id)),
        readUnreadCounter(table, userId),
      ]);
      // Only then: a notification that is no longer incoming is here.
      const notification = incoming ?? (await table.read(opened));
      if (notification === undefined) {
        throw notFound('Notification');
      }
      if (incoming !== undefined && isUnread(incoming.data, counter)) {
        await table.commit([
          table.delete(incoming.key, { ifVersion: incoming.version }),
          table.add(opened, incoming.data),
          countAction(table, userId, counter, -1),
        ]);
      }
      return ok({
        message: 'Notification marked as read',
        data: toNotificationResponse(notification.data, true),
      });
    });
  },
});
