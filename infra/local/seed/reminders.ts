import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { childId } from '../../../shared/contacts/contact.ts';
import { after, day, hour, timestamp } from '../../../shared/kernel/time.ts';
import { creatingSteps, type Reminder, type ReminderTables } from '../../../shared/reminders/reminder.ts';
import type { Step } from '../../../shared/table/table.ts';
import type { Randomness } from './randomness.ts';

const subjects = [
  'Ask whether the offer arrived',
  'Send the contract',
  'Call back about the price',
  'Congratulate on the new office',
];

/** Now and then a reminder of a contact, by whoever owns it, for the days to come. */
export function reminderSteps(
  tables: ReminderTables,
  contact: StoredContact,
  now: Date,
  random: Randomness,
): Step[] {
  if (!random.chance(0.15)) {
    return [];
  }
  const made = after(now, -random.below(20 * day));
  const reminder: Reminder = {
    _id: childId(contact._id, random.idAt(made)),
    contactId: contact._id,
    createdBy: contact.owner ?? contact.createdBy,
    note: random.pick(subjects),
    remindAt: timestamp(after(now, hour + random.below(30 * day))),
    fired: false,
    createdAt: timestamp(made),
    updatedAt: timestamp(made),
  };
  return creatingSteps(tables, reminder);
}
