import type { Key, PlatformKey, PlatformRange, Range } from '../table/key.ts';
import { upTo } from '../table/key.ts';
import type { Step, Stored, TableWriter } from '../table/table.ts';
import { hourOf, type Timestamp } from '../time.ts';

/** To come back to a contact at a time. Source: decisions 10, "Reminder". */
export interface Reminder {
  _id: string;
  contactId: string;
  createdBy: string;
  note: string;
  remindAt: Timestamp;
  /** Whether its time has come; its maker was notified then, where that was wanted and allowed. */
  fired: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** A reminder of any organization, listed in the hour in which it is due: enough to find all that there is of it. */
export interface DueReminder extends Pick<Reminder, '_id' | 'createdBy' | 'remindAt'> {
  organizationId: string;
}

export interface ReminderTables {
  /** The organization's. */
  readonly table: TableWriter;
  /** What is due is found here without asking every organization. */
  readonly platform: TableWriter<'platform'>;
}

/** The steps that write a new reminder: with its contact, in its maker's list, and among those due. */
export function creatingSteps({ table, platform }: ReminderTables, reminder: Reminder): Step[] {
  const due = dueOf(table.organizationId, reminder);
  return [
    table.add(reminderKey(reminder.contactId, reminder._id), reminder),
    table.put(reminderEntryKey(reminder), reminder),
    platform.add(dueKey(due, reminder), due),
  ];
}

/** The steps that delete a reminder, whether or not it has fired. */
export function deletingSteps({ table, platform }: ReminderTables, stored: Stored<Reminder>): Step[] {
  const due = dueOf(table.organizationId, stored.data);
  return [
    table.delete(stored.key, { ifVersion: stored.version }),
    table.delete(reminderEntryKey(stored.data)),
    platform.delete(dueKey(due, stored.data)),
  ];
}

function dueOf(organizationId: string, { _id, createdBy, remindAt }: Reminder): DueReminder {
  return { organizationId, _id, createdBy, remindAt };
}

/** One for the past lies in the hour in which it was made: earlier ones may never be looked at again. */
function dueKey(due: DueReminder, { remindAt, createdAt }: Reminder) {
  const dueAt = new Date(Math.max(Date.parse(remindAt), Date.parse(createdAt)));
  return dueReminderKey(hourOf(dueAt), due);
}

export const reminderKey = (contactId: string, id: string): Key<Reminder> => ({
  partition: ['CONTACT', contactId],
  sort: ['REMINDER', id],
});

export const reminderRange = (contactId: string): Range<Reminder> => ({
  partition: ['CONTACT', contactId],
  under: ['REMINDER'],
});

/** A reminder in its creator's list, by the time it is for. */
export const reminderEntryKey = ({
  createdBy,
  remindAt,
  _id,
}: Pick<Reminder, 'createdBy' | 'remindAt' | '_id'>): Key<Reminder> => ({
  partition: ['REMINDERS', createdBy],
  sort: [remindAt, _id],
});

export const reminderEntryRange = (userId: string): Range<Reminder> => ({ partition: ['REMINDERS', userId] });

/** A reminder that has not fired, in the hour in which it is to. */
export const dueReminderKey = (
  hour: string,
  { remindAt, organizationId, _id }: DueReminder,
): PlatformKey<DueReminder> => ({ partition: ['DUE', hour], sort: [remindAt, organizationId, _id] });

/** Those of an hour that are for a time up to this one, the earliest first. */
export const dueReminderRange = (hour: string, until: Timestamp): PlatformRange<DueReminder> => ({
  partition: ['DUE', hour],
  between: { to: upTo([until]) },
});

/** Before which hour no reminder is left that has not fired. */
export const firingProgressKey = (): PlatformKey<{ hour: string }> => ({
  partition: ['DUE'],
  sort: ['PROGRESS'],
});
