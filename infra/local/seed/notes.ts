import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { childId } from '../../../shared/contacts/contact.ts';
import { after, hour, timestamp } from '../../../shared/kernel/time.ts';
import { newNote, noteKey, type StoredNote } from '../../../shared/notes/note.ts';
import type { Reaction } from '../../../shared/notes/reactions.ts';
import { fullName, type User } from '../../../shared/organizations/user.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import { peopleOf, scopeAmong, sees } from '../../../shared/visibility.ts';
import { notificationSteps } from './notifications.ts';
import { notes, requests } from './phrases.ts';
import type { Randomness } from './randomness.ts';

/** Notes on contacts, each by somebody who sees the contact, and the notifications of those whom they mention. */
export function noteSteps(
  table: TableWriter,
  contacts: readonly StoredContact[],
  users: ReadonlyMap<string, User>,
  now: Date,
  random: Randomness,
): Step[] {
  const written = contacts.flatMap((contact) => notesOn(contact, users, now, random));
  return [
    ...written.map((note) => table.add(noteKey(note.contactId, note._id), note)),
    ...notificationSteps(table, written, users, random),
  ];
}

function notesOn(
  contact: StoredContact,
  users: ReadonlyMap<string, User>,
  now: Date,
  random: Randomness,
): StoredNote[] {
  const all = [...users.values()];
  const people = peopleOf(contact);
  const readers = all.filter(({ _id: userId, accessRole: role }) =>
    sees(scopeAmong({ userId, role }, all), people),
  );
  const involved = readers.filter(({ _id }) => people.includes(_id));
  const count = random.pick([0, 0, 0, 0, 1, 1, 2]);
  return Array.from({ length: count }, () =>
    noteBy(random.pick(readers), contact, random.chance(0.6) ? involved : readers, now, random),
  );
}

/** Some notes ask something of one of these users, who may have reacted. */
function noteBy(
  author: User,
  contact: StoredContact,
  askable: readonly User[],
  now: Date,
  random: Randomness,
): StoredNote {
  const created = new Date(contact.createdAt);
  const at = after(created, Math.floor((now.getTime() - created.getTime()) * random.next()));
  const colleagues = askable.filter(({ _id }) => _id !== author._id);
  const mentioned = colleagues.length > 0 && random.chance(0.5) ? random.pick(colleagues) : undefined;
  const note = newNote(
    {
      _id: childId(contact._id, random.idAt(at)),
      contactId: contact._id,
      userId: author._id,
      note: mentioned ? `@${fullName(mentioned)} ${random.pick(requests)}` : random.pick(notes),
      mentions: mentioned ? [mentioned._id] : [],
      attachments: [],
    },
    timestamp(at),
  );
  const readers = [author, ...(mentioned ? [mentioned] : [])].map(({ _id }) => _id);
  const isEdited = random.chance(0.15);
  const editedAt = timestamp(after(at, Math.min(hour, now.getTime() - at.getTime())));
  return {
    ...note,
    reactions: reactionsOf(readers, random),
    ...(isEdited ? { isEdited, updatedAt: editedAt } : {}),
  };
}

function reactionsOf(readers: readonly string[], random: Randomness): Reaction[] {
  return ['👍', '🎉', '👀']
    .map((emoji) => ({ emoji, users: readers.filter(() => random.chance(0.25)) }))
    .filter(({ users }) => users.length > 0);
}
