import type { Timestamp } from '../../../shared/kernel/time.ts';
import { isBlank, type StoredNote } from '../../../shared/notes/note.ts';
import { excerpt } from '../../../shared/notifications/excerpt.ts';
import type { NotificationContent } from '../../../shared/notifications/notify.ts';

/**
 * The notification of a mention: the author, and the beginning of the note, or its files if it has no text. Those who may not see the
 * contact get no word of the note.
 */
export function mentionNotification(
  id: string,
  authorName: string,
  note: StoredNote,
  at: Timestamp,
  { isSeen }: { readonly isSeen: boolean },
): NotificationContent {
  const files = note.attachments.map(({ name }) => name).join(', ');
  const quoted = excerpt(isBlank(note.note) ? files : note.note);
  return {
    _id: id,
    type: 'mention',
    title: `${authorName} mentioned you`,
    message: isSeen ? quoted : 'In a note on a contact that you cannot see.',
    contactId: note.contactId,
    noteId: note._id,
    createdAt: at,
  };
}
