import { cancelAction, type DueEntry, dueAt, scheduleAction } from '../events/due-entry.ts';
import { contactIdIn } from '../kernel/child-id.ts';
import { definedOnly } from '../kernel/defined-only.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';
import type { Action, Stored, TableWriter } from '../table/table.ts';

/** Reminds a user of a contact. Source: decisions 10, "Reminder". */
export interface Reminder {
  _id: string;
  contactId: string;
  createdBy: string;
  note: string;
  remindAt: Timestamp;
  /** Whether its time has come. Its creator was then notified, if allowed and wanted. */
  fired: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export interface ReminderTables {
  /** The organization's. */
  readonly table: TableWriter;
  /** Has what is due. */
  readonly platform: TableWriter<'platform'>;
}

/** The actions that create a reminder: with its contact, in its creator's list, and among the due ones. */
export function newReminderActions({ table, platform }: ReminderTables, reminder: Reminder): Action[] {
  return [
    table.add(reminderKey(reminder._id), reminder),
    table.put(reminderEntryKey(reminder), reminder),
    scheduleAction(platform, {
      ...dueReminder(table.organizationId, reminder),
      ...definedOnly({ causedBy: table.causedBy }),
    }),
  ];
}

export function deleteReminderActions(
  { table, platform }: ReminderTables,
  stored: Stored<Reminder>,
): Action[] {
  return [
    table.delete(stored.key, { ifVersion: stored.version }),
    table.delete(reminderEntryKey(stored.data)),
    cancelAction(platform, dueReminder(table.organizationId, stored.data)),
  ];
}

/** The firing of a reminder. */
export const dueReminder = (
  organizationId: string,
  { _id, createdBy, remindAt, createdAt }: Reminder,
): DueEntry => ({
  kind: 'reminder',
  at: dueAt(remindAt, createdAt),
  organizationId,
  group: createdBy,
  id: _id,
});

export const reminderKey = (id: string): Key<Reminder> => ({
  partition: ['CONTACT', contactIdIn(id)],
  sort: ['REMINDER', id],
});

export const reminderRange = (contactId: string): Range<Reminder> => ({
  partition: ['CONTACT', contactId],
  under: ['REMINDER'],
});

/** A reminder in its creator's list, ordered by time. */
export const reminderEntryKey = ({
  createdBy,
  remindAt,
  _id,
}: Pick<Reminder, 'createdBy' | 'remindAt' | '_id'>): Key<Reminder> => ({
  partition: ['REMINDERS', createdBy],
  sort: [remindAt, _id],
});

export const reminderEntryRange = (userId: string): Range<Reminder> => ({ partition: ['REMINDERS', userId] });
