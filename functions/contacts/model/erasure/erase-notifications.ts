import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { unnotifyActions } from '../../../../shared/notifications/unnotify.ts';
import type { TableWriter } from '../../../../shared/table/table.ts';

/** Deletes a notification of several users, tells them, and takes an unread one from their numbers. */
export async function eraseNotifications(
  table: TableWriter,
  id: string,
  userIds: readonly string[],
  clock: Pick<ClockAndIds, 'now' | 'newId'>,
): Promise<void> {
  for (const userId of userIds) {
    await table.optimistically(async () =>
      table.commit(await unnotifyActions(table, [{ id, userId }], clock)),
    );
  }
}
