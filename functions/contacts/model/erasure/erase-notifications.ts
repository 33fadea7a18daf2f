import { unnotifyActions } from '../../../../shared/notifications/unnotify.ts';
import type { TableWriter } from '../../../../shared/table/table.ts';

/** Deletes a notification of several users, and an unread one from their numbers. */
export async function eraseNotifications(
  table: TableWriter,
  id: string,
  userIds: readonly string[],
): Promise<void> {
  for (const userId of userIds) {
    await table.optimistically(async () => table.commit(await unnotifyActions(table, [{ id, userId }])));
  }
}
