import { isVisible } from '../../../shared/kernel/schemas/fields.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import type { StoredNote } from '../../../shared/notes/note.ts';
import { excerpt } from '../../../shared/notifications/excerpt.ts';
import type { NotificationContent } from '../../../shared/notifications/notify.ts';

/** The notification of a mention: the author, and the beginning of the note, or its files if it has no text. */
export function mentionNotification(
  id: string,
  authorName: string,
  note: StoredNote,
  at: Timestamp,
): NotificationContent {
  const files = note.attachments.map(({ name }) => name).join(', ');
  return {
    _id: id,
    type: 'mention',
    title: `${authorName} mentioned you`,
    message: excerpt(isVisible(note.note) ? note.note : files),
    contactId: note.contactId,
    noteId: note._id,
    createdAt: at,
  };
}

/** The same for those who may not see the contact: without a word of the note. */
export function withoutQuote(mention: NotificationContent, id: string): NotificationContent {
  return { ...mention, _id: id, message: 'In a note on a contact that you cannot see.' };
}
