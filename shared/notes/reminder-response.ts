import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime } from '../kernel/schemas/fields.ts';

export const ReminderResponse = described(
  z.object({
    _id: anyString,
    contactId: anyString,
    createdBy: anyString,
    note: anyString,
    remindAt: dateTime,
    fired: anyBoolean,
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    _id: 'The id of the reminder.',
    contactId: 'The contact to come back to.',
    createdBy: 'The user who created it and is reminded.',
    note: 'What to do.',
    remindAt: 'When it is due.',
    fired: 'Whether it has fired.',
    createdAt: 'When it was created.',
    updatedAt: 'When it last changed.',
  },
  { id: 'Reminder', description: 'A reminder to come back to a contact at a given time.' },
);
