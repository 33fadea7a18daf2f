import * as z from 'zod/mini';
import { touchContact } from '../../shared/contact-aggregate/touch-contact.ts';
import { findContact } from '../../shared/contacts/find-contact.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id, nonEmptyString } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { noteLimit } from '../../shared/notes/note-fields.ts';
import { newReminderActions, type Reminder } from '../../shared/notes/reminder.ts';
import { ReminderResponse } from '../../shared/notes/reminder-response.ts';
import { comparable, IsoMoment, parseMoment } from '../../shared/organizations/written-times.ts';
import { readZoneFor } from '../../shared/organizations/zone-for.ts';

export default operation({
  route: 'POST /api/reminders',
  summary: 'Create a reminder',
  tool: { name: 'create_reminder', when: 'When somebody should come back to a contact at a time.' },
  description:
    'A reminder to come back to a contact. A date without a time means the beginning of that day; dates and times without an offset are in the time zone of the organization. At that time, to the second or about a minute later at most (at once if it is past), `fired` becomes true and the creator gets a notification with the name of the contact and the beginning of the note, unless the preference `reminders` is off or the creator can no longer see the contact.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  asStep: true,
  status: 201,
  body: z.object({ contactId: Id, note: nonEmptyString(noteLimit), remindAt: IsoMoment }),
  descriptions: {
    contactId: 'The contact to come back to.',
    note: 'What to do.',
    remindAt:
      'When to be reminded: a date-time, or a date for the beginning of that day; without an offset, in the time zone of the organization.',
  },
  output: changeResponse(ReminderResponse),
  failures: ['NOT_FOUND'],
  example: {
    body: { contactId: demo.ada, note: 'Ask whether the offer arrived', remindAt: '2027-01-15T09:00:00Z' },
  },
  uses: { table: 'write', platform: 'write' },
  async run({ body }, { table, platform, caller, now, newId }) {
    const at = timestamp(now);
    const [{ data: contact }, zone] = await Promise.all([
      findContact(table, caller, body.contactId),
      readZoneFor(table, body.remindAt),
    ]);
    const reminder: Reminder = {
      _id: childId(contact._id, newId()),
      contactId: contact._id,
      createdBy: caller.userId,
      note: body.note,
      remindAt: comparable(parseMoment(body.remindAt, zone)),
      fired: false,
      createdAt: at,
      updatedAt: at,
    };
    await table.commit([
      ...newReminderActions({ table, platform }, reminder),
      touchContact(table, contact._id),
    ]);
    return ok({ message: 'Reminder created', data: reminder });
  },
});
