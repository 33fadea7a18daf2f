import type { ClockAndIds } from '../kernel/operation.ts';
import type { Range } from '../table/key.ts';
import type { TableWriter } from '../table/table.ts';
import { deleteNotificationActions } from './delete-notifications.ts';
import type { Notified } from './notification.ts';

type Clock = Pick<ClockAndIds, 'now' | 'newId'>;

/** Deletes a notification of several users, tells them, and takes an unread one from their numbers. */
export async function eraseNotifications(
  table: TableWriter,
  id: string,
  userIds: readonly string[],
  clock: Clock,
): Promise<void> {
  for (const userId of userIds) {
    await table.optimistically(async () =>
      table.commit(await deleteNotificationActions(table, [{ id, userId }], clock)),
    );
  }
}

/**
 * Deletes in the same way what users were notified of because of a record that is gone, where the transaction that deletes the record has
 * no room for that. Continues where an interrupted run ended. Nothing may notify of the record any more.
 */
export async function eraseNotificationsIn(
  table: TableWriter,
  range: Range<Notified>,
  clock: Clock,
): Promise<void> {
  for (const { key, data } of await table.list(range)) {
    await eraseNotifications(table, key.sort.at(-1) ?? '', data.userIds, clock);
    await table.deleteMany([key]);
  }
}
