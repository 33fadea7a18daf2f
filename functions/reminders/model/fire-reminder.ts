import { contactKey, type StoredContact } from '../../../shared/contacts/contact.ts';
import { readOwner } from '../../../shared/contacts/holdings.ts';
import type { DueEntry } from '../../../shared/events/due-entry.ts';
import { eventAction } from '../../../shared/events/outbox.ts';
import { contactIdIn } from '../../../shared/kernel/child-id.ts';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { type Timestamp, timestamp } from '../../../shared/kernel/time.ts';
import { type Reminder, reminderEntryKey, reminderKey } from '../../../shared/notes/reminder.ts';
import { contactName } from '../../../shared/notifications/contact-name.ts';
import { excerpt } from '../../../shared/notifications/excerpt.ts';
import {
  findRecipients,
  type NotificationContent,
  notificationEvent,
  notifyActions,
  type Recipient,
} from '../../../shared/notifications/notify.ts';
import { readPreferences, wants } from '../../../shared/notifications/preferences.ts';
import { type Involved, involvedPeople, readScope, sees } from '../../../shared/organizations/visibility.ts';
import type { Action, TableReader, TableWriter } from '../../../shared/table/table.ts';

/**
 * The outcome of a due reminder: its creator was notified; it fired without a notification; or it or its contact was gone.
 */
type Firing = 'notified' | 'silent' | 'gone';

/** Fires a reminder, once however often it runs: one transaction marks it as fired, notifies its creator and ends its entry. */
export async function fireReminder(
  table: TableWriter,
  { id, group: userId, at: dueAt, causedBy }: DueEntry,
  { now, newId, end }: ClockAndIds & { readonly end: Action },
): Promise<Firing> {
  const contactId = contactIdIn(id);
  const ids = { notification: newId(), event: newId() };
  return table.optimistically(async () => {
    const [reminder, home, [creator], preferences] = await Promise.all([
      table.read(reminderKey(id)),
      table.read(contactKey(contactId)),
      findRecipients(table, [userId]),
      readPreferences(table, userId),
    ]);
    const contact = await readOwner(table, reminder?.data, home);
    if (reminder === undefined || contact === undefined) {
      const { remindAt = dueAt } = reminder?.data ?? {};
      await table.commit([
        table.delete(reminderKey(id)),
        table.delete(reminderEntryKey({ createdBy: userId, remindAt, _id: id })),
        end,
      ]);
      return 'gone';
    }
    const isNotified =
      wants(preferences, 'reminder') && creator !== undefined && (await maySee(table, creator, contact.data));
    const at = timestamp(now);
    const fired = { ...reminder.data, fired: true, updatedAt: at };
    const notification = reminderNotification(ids.notification, fired, contact.data, at);
    const details = { change: { reminder: { userId } }, ...definedOnly({ causedBy }) };
    await table.commit([
      table.replace(reminder, fired),
      table.put(reminderEntryKey(fired), fired),
      end,
      ...(isNotified
        ? notifyActions(table, notification, [creator], ids.event, now, details)
        : // For nobody's connections: workflows wait for reminders, too.
          [
            eventAction(
              table,
              { ...notificationEvent('notification_created', notification, []), ...details },
              ids.event,
              now,
            ),
          ]),
    ]);
    return isNotified ? 'notified' : 'silent';
  });
}

/** Whether the creator of a reminder still sees its contact. */
async function maySee(table: TableReader, { user }: Recipient, contact: Involved): Promise<boolean> {
  const viewer = { userId: user._id, role: user.accessRole };
  return !user.disabled && sees(await readScope(viewer, table), involvedPeople(contact));
}

/** The notification of a due reminder: its contact, and the beginning of the note. */
function reminderNotification(
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
    contactId: contact._id,
    reminderId: reminder._id,
    createdAt: at,
  };
}
