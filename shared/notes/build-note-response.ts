import type { Attachments } from '../kernel/providers/objects.ts';
import { displayName, type User, userKey } from '../organizations/user.ts';
import type { TableReader } from '../table/table.ts';
import { linkDownloads } from './attachments.ts';
import type { StoredNote } from './note.ts';
import type { NoteResponse } from './note-response.ts';

/** The author in responses; undefined for one from another organization. */
export function toAuthorResponse(userId: string, user: User | undefined): NoteResponse['userId'] {
  return { _id: userId, fullName: displayName(user), email: user?.email ?? '' };
}

export async function buildNoteResponse(
  { _id, userId, note, attachments, reactions, isEdited, createdAt }: StoredNote,
  author: User | undefined,
  objects: Attachments,
): Promise<NoteResponse> {
  return {
    _id,
    userId: toAuthorResponse(userId, author),
    note,
    attachments: await linkDownloads(objects, attachments),
    reactions: reactions.map(({ emoji, users }) => ({ emoji, users, count: users.length })),
    isEdited,
    createdAt,
  };
}

/** Up to 100 notes with their authors, read in one round trip. */
export async function buildNoteResponses(
  notes: readonly StoredNote[],
  table: TableReader,
  objects: Attachments,
): Promise<NoteResponse[]> {
  const ids = [...new Set(notes.map(({ userId }) => userId))];
  const users = await table.readMany(ids.map(userKey));
  const authors = new Map(ids.map((id, index) => [id, users[index]?.data]));
  return Promise.all(notes.map((note) => buildNoteResponse(note, authors.get(note.userId), objects)));
}
