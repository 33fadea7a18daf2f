import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { ownedId } from '../../../shared/contacts/owned.ts';
import type { StoredNote } from '../../../shared/notes/note.ts';
import { fullName, type User } from '../../../shared/organizations/user.ts';
import { keys } from '../../../shared/table/keys.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import { after, timestamp } from '../../../shared/time.ts';
import { peopleOf } from '../../../shared/visibility.ts';
import { notes, requests } from './phrases.ts';
import type { Randomness } from './randomness.ts';

/** Notes on a contact, each by somebody whose contact it is; some ask a colleague of the same department for something. */
export function noteSteps(
  table: TableWriter,
  contact: StoredContact,
  users: ReadonlyMap<string, User>,
  now: Date,
  random: Randomness,
): Step[] {
  const authors = peopleOf(contact)
    .map((id) => users.get(id))
    .filter((user) => user !== undefined);
  const count = random.pick([0, 0, 0, 0, 1, 1, 2]);
  return Array.from({ length: count }, () => {
    const note = noteOf(contact, random.pick(authors), [...users.values()], now, random);
    return table.add(keys.note(contact._id, note._id), note);
  });
}

function noteOf(
  contact: StoredContact,
  author: User,
  users: readonly User[],
  now: Date,
  random: Randomness,
): StoredNote {
  const created = new Date(contact.createdAt);
  const at = after(created, Math.floor((now.getTime() - created.getTime()) * random.next()));
  const colleagues = users.filter(
    ({ _id, departmentIds }) =>
      _id !== author._id && departmentIds.some((id) => author.departmentIds.includes(id)),
  );
  const mentioned = colleagues.length > 0 && random.chance(0.4) ? random.pick(colleagues) : undefined;
  return {
    _id: ownedId(contact._id, random.idAt(at)),
    contactId: contact._id,
    userId: author._id,
    note: mentioned ? `@${fullName(mentioned)} ${random.pick(requests)}` : random.pick(notes),
    mentions: mentioned ? [mentioned._id] : [],
    attachments: [],
    reactions: mentioned && random.chance(0.5) ? [{ emoji: '👍', users: [mentioned._id] }] : [],
    isEdited: false,
    createdAt: timestamp(at),
    updatedAt: timestamp(at),
  };
}
