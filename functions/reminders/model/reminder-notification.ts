import type { StoredContact } from '../../../shared/contacts/contact.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import type { Reminder } from '../../../shared/notes/reminder.ts';
import { contactName } from '../../../shared/notifications/contact-name.ts';
import { excerpt } from '../../../shared/notifications/excerpt.ts';
import type { NotificationContent } from '../../../shared/notifications/notify.ts';

/** The notification of a due reminder: its contact, and the beginning of the note. */
export function reminderNotification(
  id: string,
  reminder: Reminder,
  contact: StoredContact,
  at: Timestamp,
): NotificationContent {
  return {
    _id: id,
    type: 'reminder',
    title: `Reminder: ${excerpt(contactName(contact))}`,
    message: excerpt(reminder.note),
    contactId: reminder.contactId,
    reminderId: reminder._id,
    createdAt: at,
  };
}
