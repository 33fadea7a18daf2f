import { keys } from '../table/keys.ts';
import { platformKeys } from '../table/platform-keys.ts';
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

/** A reminder of any organization, filed under the hour in which it is due: enough to find all that there is of it. */
export interface DueReminder extends Pick<Reminder, '_id' | 'createdBy' | 'remindAt'> {
  organizationId: string;
}

export interface ReminderTables {
  /** The organization's. */
  readonly table: TableWriter;
  /** What is due is found here without asking every organization. */
  readonly platform: TableWriter;
}

/** The steps that write a new reminder: with its contact, in its maker's list, and among those due. */
export function creatingSteps({ table, platform }: ReminderTables, reminder: Reminder): Step[] {
  const due = dueOf(table.organizationId, reminder);
  return [
    table.add(keys.reminder(reminder.contactId, reminder._id), reminder),
    table.put(keys.reminderEntry(reminder), reminder),
    platform.add(dueKey(due, reminder), due),
  ];
}

/** The steps that delete a reminder, whether or not it has fired. */
export function deletingSteps({ table, platform }: ReminderTables, stored: Stored<Reminder>): Step[] {
  const due = dueOf(table.organizationId, stored.data);
  return [
    table.remove(stored),
    table.erase(keys.reminderEntry(stored.data)),
    platform.erase(dueKey(due, stored.data)),
  ];
}

function dueOf(organizationId: string, { _id, createdBy, remindAt }: Reminder): DueReminder {
  return { organizationId, _id, createdBy, remindAt };
}

/** One for the past lies in the hour in which it was made: earlier ones may never be looked at again. */
function dueKey(due: DueReminder, { remindAt, createdAt }: Reminder) {
  const dueAt = new Date(Math.max(Date.parse(remindAt), Date.parse(createdAt)));
  return platformKeys.dueReminder(hourOf(dueAt), due);
}
