import * as z from 'zod/mini';
import { anyText, yesOrNo } from '../kernel/fields.ts';

export const ReminderAnswer = z
  .object({
    _id: anyText,
    contactId: anyText,
    createdBy: anyText,
    note: anyText,
    remindAt: anyText,
    fired: yesOrNo,
    createdAt: anyText,
    updatedAt: anyText,
  })
  .check(z.meta({ id: 'Reminder' }));
