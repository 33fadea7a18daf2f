import { chunks } from '../../../shared/kernel/chunks.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import type { StoredNote } from '../../../shared/notes/note.ts';
import {
  prepareNotificationDeletions,
  readNotifiedBy,
} from '../../../shared/notifications/delete-notifications.ts';
import { type Action, type Stored, type TableWriter, transactionLimit } from '../../../shared/table/table.ts';

/** Users for whom a transaction has room: each takes up to three actions. */
const atOnce = 30;

/**
 * Commits an edit of a note: those whom it no longer mentions lose their notification. Where one transaction has no room for them beside
 * those whom it mentions now, their mentions are taken away first.
 * @param notifying the actions that notify those whom it did not mention before.
 */
export async function commitEdit(
  table: TableWriter,
  stored: Stored<StoredNote>,
  note: StoredNote,
  notifying: readonly Action[],
  clock: Pick<ClockAndIds, 'now' | 'newId'>,
): Promise<void> {
  const { _id: noteId, mentions } = stored.data;
  const userIds = new Set(mentions).difference(new Set(note.mentions));
  const notified = userIds.size === 0 ? [] : await readNotifiedBy(table, noteId);
  const deleting = await prepareNotificationDeletions(table, notified, userIds, clock);
  const actions = [table.replace(stored, note), ...deleting, ...notifying];
  if (actions.length <= transactionLimit) {
    await table.commit(actions);
    return;
  }
  let current = stored;
  for (const some of chunks([...userIds], atOnce)) {
    const gone = new Set(some);
    const data = { ...current.data, mentions: current.data.mentions.filter((userId) => !gone.has(userId)) };
    const deletingSome = await prepareNotificationDeletions(table, notified, gone, clock);
    await table.commit([table.replace(current, data), ...deletingSome], { isAhead: true });
    current = { ...current, data, version: current.version + 1 };
  }
  await table.commit([table.replace(current, note), ...notifying]);
}
