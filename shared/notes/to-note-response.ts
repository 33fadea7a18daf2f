import type { Attachments } from '../objects/objects.ts';
import { fullName, type User, userKey } from '../organizations/user.ts';
import type { TableReader } from '../table/table.ts';
import { downloadable } from '../uploads/attachments.ts';
import type { StoredNote } from './note.ts';
import type { NoteAnswer } from './note-response.ts';

/** The author as answers show them. Who is not among the organization's users acted from another organization. */
export function shownAuthor(userId: string, user: User | undefined): NoteAnswer['userId'] {
  return user === undefined
    ? { _id: userId, fullName: 'Someone outside this organization', email: '' }
    : { _id: userId, fullName: fullName(user), email: user.email };
}

export async function shownNote(
  { _id, userId, note, attachments, reactions, isEdited, createdAt }: StoredNote,
  author: User | undefined,
  objects: Attachments,
): Promise<NoteAnswer> {
  return {
    _id,
    userId: shownAuthor(userId, author),
    note,
    attachments: await downloadable(objects, attachments),
    reactions: reactions.map(({ emoji, users }) => ({ emoji, users, count: users.length })),
    isEdited,
    createdAt,
  };
}

/** Notes with their authors, who are read in one round trip; at most 100. */
export async function shownNotes(
  notes: readonly StoredNote[],
  table: TableReader,
  objects: Attachments,
): Promise<NoteAnswer[]> {
  const ids = [...new Set(notes.map(({ userId }) => userId))];
  const users = await table.readMany(ids.map(userKey));
  const authors = new Map(ids.map((id, index) => [id, users[index]?.data]));
  return Promise.all(notes.map((note) => shownNote(note, authors.get(note.userId), objects)));
}
