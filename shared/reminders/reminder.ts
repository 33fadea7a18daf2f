import { keys } from '../table/keys.ts';
import type { Timestamp } from '../time.ts';

/** To come back to a contact at a time. Source: decisions 10, "Reminder". */
export interface Reminder {
  _id: string;
  contactId: string;
  createdBy: string;
  note: string;
  remindAt: Timestamp;
  fired: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** Where a reminder lies: with its contact, and in its maker's list. */
export function reminderKeys(reminder: Reminder) {
  return {
    ofContact: keys.reminder(reminder.contactId, reminder._id),
    ofMaker: keys.reminderEntry(reminder),
  };
}
