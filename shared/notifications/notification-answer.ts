import * as z from 'zod/mini';
import { anyText, yesOrNo } from '../kernel/fields.ts';

export const NotificationAnswer = z
  .object({
    _id: anyText,
    userId: anyText,
    type: z.enum(['mention', 'reminder']),
    title: anyText,
    message: anyText,
    contactId: anyText,
    noteId: z.optional(anyText),
    reminderId: z.optional(anyText),
    isRead: yesOrNo,
    createdAt: anyText,
  })
  .check(
    z.meta({
      id: 'Notification',
      description:
        'Something that a user was told of. `message` is the beginning of what was written; the contact and the note, or the reminder, may be out of sight for the user, or gone.',
    }),
  );

/** How many notifications of the caller are unread. */
export const UnreadCount = z.object({ count: z.int() });
