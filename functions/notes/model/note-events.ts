import type { NewEvent } from '../../../shared/events/outbox.ts';
import type { StoredNote } from '../../../shared/notes/note.ts';
import type { Involved } from '../../../shared/organizations/visibility.ts';
import { involvedPeople } from '../../../shared/organizations/visibility.ts';

/** The event that tells the users who may see a contact of a new note on it. */
export function noteCreated(
  contact: Involved,
  { _id, contactId, userId, note, mentions }: StoredNote,
): NewEvent {
  const brief = { noteId: _id, contactId, userId, mentions };
  return {
    event: 'note_created',
    data: { ...brief, note },
    brief,
    audience: { kind: 'record', people: involvedPeople(contact) },
  };
}
