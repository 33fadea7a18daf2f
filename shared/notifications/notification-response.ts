import * as z from 'zod/mini';
import { described } from '../kernel/descriptions.ts';
import { anyText, dateTime, yesOrNo } from '../kernel/fields.ts';

export const notificationDescriptions = {
  _id: 'The id of the notification.',
  userId: 'The user it is for.',
  type: 'What it is about: a mention in a note, or a reminder that is due.',
  title: 'What happened, in one line.',
  message: 'The beginning of what was written.',
  contactId: 'The contact it is about; the user may be unable to see it, and it may have been deleted.',
  noteId: 'For a mention: the note.',
  reminderId: 'For a reminder: the reminder.',
  isRead: 'Whether the user has marked it as read.',
  createdAt: 'When it was created.',
};

export const NotificationResponse = described(
  z.object({
    _id: anyText,
    userId: anyText,
    type: z.enum(['mention', 'reminder']),
    title: anyText,
    message: anyText,
    contactId: anyText,
    noteId: z.optional(anyText),
    reminderId: z.optional(anyText),
    isRead: yesOrNo,
    createdAt: dateTime,
  }),
  notificationDescriptions,
  { id: 'Notification', description: 'A notification for a user.' },
);

export const UnreadCount = described(z.object({ count: z.int() }), {
  count: 'How many notifications are unread.',
});
