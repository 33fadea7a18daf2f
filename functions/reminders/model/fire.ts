import { contactIdIn, contactKey } from '../../../shared/contacts/contact.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { notifySteps, type Recipient, recipientsOf } from '../../../shared/notifications/notify.ts';
import { preferencesOf, wants } from '../../../shared/notifications/preferences.ts';
import type { DueReminder, ReminderTables } from '../../../shared/reminders/reminder.ts';
import { reminderEntryKey, reminderKey } from '../../../shared/reminders/reminder.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import { type Involved, peopleOf, scopeOf, sees } from '../../../shared/visibility.ts';
import { reminderNotice } from './reminder-notice.ts';

/**
 * The outcome of a due reminder: its creator was notified; it fired without a notification; it or its contact was gone; or
 * another run had fired it.
 */
export type Firing = 'notified' | 'silent' | 'gone' | 'repeated';

/** Fires a reminder, once even if repeated: it fires and notifies its creator in one transaction. */
export async function fire(
  due: Stored<DueReminder, 'platform'>,
  { table, platform }: ReminderTables,
  { now, newId }: ClockAndIds,
): Promise<Firing> {
  const { _id, createdBy } = due.data;
  const contactId = contactIdIn(_id);
  const ids = { notification: newId(), event: newId() };
  return table.optimistically(async () => {
    const [reminder, contact, [creator], preferences] = await Promise.all([
      table.read(reminderKey(contactId, _id)),
      table.read(contactKey(contactId)),
      recipientsOf(table, [createdBy]),
      preferencesOf(table, createdBy),
    ]);
    if (reminder === undefined || contact === undefined) {
      await table.commit([
        table.delete(reminderKey(contactId, _id)),
        table.delete(reminderEntryKey(due.data)),
        platform.delete(due.key),
      ]);
      return 'gone';
    }
    if (reminder.data.fired) {
      await table.commit([platform.delete(due.key)]);
      return 'repeated';
    }
    const isTold =
      wants(preferences, 'reminder') && creator !== undefined && (await maySee(table, creator, contact.data));
    const at = timestamp(now);
    const fired = { ...reminder.data, fired: true, updatedAt: at };
    const notice = reminderNotice(ids.notification, fired, contact.data, at);
    await table.commit([
      table.replace(reminder, fired),
      table.put(reminderEntryKey(fired), fired),
      platform.delete(due.key, { ifVersion: due.version }),
      ...notifySteps(table, notice, isTold ? [creator] : [], ids.event, now),
    ]);
    return isTold ? 'notified' : 'silent';
  });
}

/** Whether the creator of a reminder still sees its contact. */
async function maySee(table: TableReader, { user }: Recipient, contact: Involved): Promise<boolean> {
  const viewer = { userId: user._id, role: user.accessRole };
  return !user.disabled && sees(await scopeOf(viewer, table), peopleOf(contact));
}
