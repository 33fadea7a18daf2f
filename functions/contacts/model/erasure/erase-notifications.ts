import { isUnread, notificationKey } from '../../../../shared/notifications/notification.ts';
import { countStep, unreadCounterOf } from '../../../../shared/notifications/unread-counter.ts';
import type { TableWriter } from '../../../../shared/table/table.ts';

/** Deletes a notification of several users, and an unread one from their numbers. */
export async function eraseNotifications(
  table: TableWriter,
  id: string,
  userIds: readonly string[],
): Promise<void> {
  for (const userId of userIds) {
    await eraseNotification(table, id, userId);
  }
}

async function eraseNotification(table: TableWriter, id: string, userId: string): Promise<void> {
  await table.optimistically(async () => {
    const [incoming, counter] = await Promise.all([
      table.read(notificationKey('INCOMING', userId, id)),
      unreadCounterOf(table, userId),
    ]);
    if (incoming === undefined) {
      // Opened by itself, or deleted in an earlier run.
      await table.commit([table.delete(notificationKey('OPENED', userId, id))]);
      return;
    }
    await table.commit([
      table.delete(incoming.key, { ifVersion: incoming.version }),
      ...(isUnread(incoming.data, counter) ? [countStep(table, userId, counter, -1)] : []),
    ]);
  });
}
