import { contactKey, contactRange } from '../../../../shared/contacts/contact.ts';
import { forEachConcurrently } from '../../../../shared/kernel/for-each-concurrently.ts';
import { unpacked } from '../../../../shared/kernel/packing.ts';
import type { Reminder, ReminderTables } from '../../../../shared/reminders/reminder.ts';
import { unlistedSteps } from '../../../../shared/reminders/reminder.ts';
import { partsOf } from '../../../../shared/table/key.ts';
import type { RawRow, Step, TableWriter } from '../../../../shared/table/table.ts';
import type { TrainingSnapshot } from '../../../../shared/training/snapshot.ts';
import { snapshotEntryKey } from '../../../../shared/training/snapshot.ts';
import { eraseNotifications } from './erase-notifications.ts';
import { eraseNumber } from './erase-number.ts';

/** Rows deleted in one transaction: few enough for its limit of 4 MB, whatever their size. */
const chunk = 25;

/** Rows of a chunk whose traces elsewhere are deleted at the same time. */
const width = 5;

/**
 * Deletes everything in the partition of a deleted contact, and first what it leaves elsewhere: list entries, notifications, the
 * number in calls. Objects follow, because the stream tells of the deletion of their records. Continues where an interrupted run
 * ended, because deleted rows are not found again; looks again until there is nothing, because a reminder that fires or a note that
 * is edited at this moment may add a row behind the reading.
 */
export async function eraseContact(tables: ReminderTables, contactId: string): Promise<void> {
  while (await eraseRows(tables, contactId)) {
    // Another reading.
  }
}

/** Resolves with false when there was nothing to delete. */
async function eraseRows(tables: ReminderTables, contactId: string): Promise<boolean> {
  const { table } = tables;
  let isAny = false;
  for await (const rows of table.rows(contactRange(contactId), { consistent: true })) {
    isAny ||= rows.length > 0;
    for (let start = 0; start < rows.length; start += chunk) {
      const some = rows.slice(start, start + chunk);
      const [failure] = await forEachConcurrently(some, width, (row) => eraseElsewhere(table, row));
      if (failure !== undefined) {
        throw failure;
      }
      await table.commit(some.flatMap((row) => erasingSteps(tables, contactId, row)));
    }
  }
  return isAny;
}

/** Deletes what a row leaves in records of others, which need transactions of their own. */
async function eraseElsewhere(table: TableWriter, { sk, data }: RawRow): Promise<void> {
  const [kind, id = ''] = partsOf(sk);
  if (kind === 'VOICECALL') {
    await eraseNumber(table, id);
  } else if (kind === 'NOTIFIED' && data !== undefined) {
    await eraseNotifications(table, id, unpacked<{ userIds: string[] }>(data).userIds);
  }
}

/** The steps that delete a row of a contact, and its entries in lists. */
function erasingSteps(tables: ReminderTables, contactId: string, row: RawRow): Step[] {
  const { partition } = contactKey(contactId);
  return [tables.table.delete({ partition, sort: partsOf(row.sk) }), ...entrySteps(tables, row)];
}

function entrySteps(tables: ReminderTables, { sk, data }: RawRow): Step[] {
  const [kind] = partsOf(sk);
  if (data === undefined) {
    return [];
  }
  if (kind === 'REMINDER') {
    return unlistedSteps(tables, unpacked<Reminder>(data));
  }
  if (kind === 'SNAPSHOT') {
    const { createdBy, _id } = unpacked<TrainingSnapshot>(data);
    return [tables.table.delete(snapshotEntryKey(createdBy, _id))];
  }
  return [];
}
