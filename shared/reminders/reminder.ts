import { crc32 } from 'node:zlib';
import { hourOf, type Timestamp } from '../kernel/time.ts';
import type { Key, PlatformKey, PlatformRange, Range } from '../table/key.ts';
import { upTo } from '../table/key.ts';
import type { Step, Stored, TableWriter } from '../table/table.ts';

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

/** A reminder of any organization, listed by the hour in which it is due: just enough to find it. */
export interface DueReminder extends Pick<Reminder, '_id' | 'createdBy' | 'remindAt'> {
  organizationId: string;
}

export interface ReminderTables {
  /** The organization's. */
  readonly table: TableWriter;
  /** Lists due reminders of all organizations, so that nobody reads every organization. */
  readonly platform: TableWriter<'platform'>;
}

/** The steps that create a reminder: with its contact, in its creator's list, and among the due ones. */
export function creatingSteps({ table, platform }: ReminderTables, reminder: Reminder): Step[] {
  const due = dueOf(table.organizationId, reminder);
  return [
    table.add(reminderKey(reminder.contactId, reminder._id), reminder),
    table.put(reminderEntryKey(reminder), reminder),
    platform.add(dueKey(due, reminder), due),
  ];
}

export function deletingSteps({ table, platform }: ReminderTables, stored: Stored<Reminder>): Step[] {
  return [
    table.delete(stored.key, { ifVersion: stored.version }),
    table.delete(reminderEntryKey(stored.data)),
    platform.delete(dueKeyOf(table.organizationId, stored.data)),
  ];
}

/** A reminder among the due ones of its hour. */
export function dueKeyOf(organizationId: string, reminder: Reminder): PlatformKey<DueReminder> {
  return dueKey(dueOf(organizationId, reminder), reminder);
}

function dueOf(organizationId: string, { _id, createdBy, remindAt }: Reminder): DueReminder {
  return { organizationId, _id, createdBy, remindAt };
}

/** A reminder for the past is due in the hour of its creation: earlier hours may never be read again. */
function dueKey(due: DueReminder, { remindAt, createdAt }: Reminder) {
  const dueAt = new Date(Math.max(Date.parse(remindAt), Date.parse(createdAt)));
  return dueReminderKey(hourOf(dueAt), partOf(due.createdBy), due);
}

export const reminderKey = (contactId: string, id: string): Key<Reminder> => ({
  partition: ['CONTACT', contactId],
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

/**
 * The parts of an hour, each fired by a run of its own: many organizations have their reminders at nine o'clock, and a partition takes
 * about 500 firings a second.
 */
export const dueParts = 5;

/** The part with the reminders of a user: one run fires all of them, one after the other. */
export const partOf = (userId: string): string => String(crc32(userId) % dueParts);

/** A reminder that has not fired, by the hour in which it is due. */
export const dueReminderKey = (
  hour: string,
  part: string,
  { remindAt, organizationId, _id }: DueReminder,
): PlatformKey<DueReminder> => ({ partition: ['DUE', hour, part], sort: [remindAt, organizationId, _id] });

/** The due reminders of a part of an hour up to this time, the earliest first. */
export const dueReminderRange = (
  hour: string,
  part: string,
  until: Timestamp,
): PlatformRange<DueReminder> => ({ partition: ['DUE', hour, part], between: { to: upTo([until]) } });

/** All reminders of this part due before this hour have fired. */
export const firingProgressKey = (part: string): PlatformKey<{ hour: string }> => ({
  partition: ['DUE'],
  sort: ['PROGRESS', part],
});
