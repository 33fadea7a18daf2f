import type { Answer, Call, Person, Product } from '../harness/product.ts';
import { expectStatus, type World } from '../harness/world.ts';

/** A note as answered. Source: specification, "Contact note". */
export interface Note {
  _id: string;
  userId: { _id: string; fullName: string; email: string };
  note: string;
  attachments: { name: string; size: number; type: string; signedUrl: string }[];
  reactions: { emoji: string; users: string[]; count: number }[];
  isEdited: boolean;
  createdAt: string;
}

export const noteKeys = ['_id', 'userId', 'note', 'attachments', 'reactions', 'isEdited', 'createdAt'];

type Fields = Record<string, unknown>;

/** The operations on notes, as one person calls them. */
export interface NotesClient {
  create(body: Fields, at?: Date): Promise<Answer>;
  list(contactId: string, query?: Record<string, string>): Promise<Answer>;
  edit(id: string, body: Fields, at?: Date): Promise<Answer>;
  remove(id: string): Promise<Answer>;
  react(id: string, emoji: unknown): Promise<Answer>;
  /** A new note on a contact; writing it must succeed. */
  written(contactId: string, body?: Fields): Promise<Note>;
  /** The first page of the notes on a contact; reading it must succeed. */
  notes(contactId: string): Promise<Note[]>;
}

export function notesClient(
  product: Product,
  { token }: Person,
  headers: Record<string, string> = {},
): NotesClient {
  const call = (name: string, more: Call) => product.call(name, { token, headers, ...more });
  const create = (body: Fields, at = new Date()) => call('create-note', { body, at });
  const list = (contactId: string, query = {}) => call('list-notes', { query: { contactId, ...query } });
  return {
    create,
    list,
    edit: (id, body, at = new Date()) => call('edit-note', { path: { id }, body, at }),
    remove: (id) => call('delete-note', { path: { id } }),
    react: (id, emoji) => call('toggle-reaction', { path: { id }, body: { emoji } }),
    written: async (contactId, body = {}) =>
      expectStatus(await create({ contactId, note: 'Call back', ...body }), 201).data,
    notes: async (contactId) => expectStatus(await list(contactId), 200).data,
  };
}

/** A new note on a new contact of `rep`, by somebody who sees it. */
export async function writtenNote(
  { product, newContact }: Pick<World, 'product' | 'newContact'>,
  author: Person,
  body: Fields = {},
): Promise<Note & { contactId: string }> {
  const { _id: contactId } = await newContact();
  return { contactId, ...(await notesClient(product, author).written(contactId, body)) };
}

/** The outcome of a call that fails, in the shape of the family `notes`. */
export function noteFailure(status: number, error: string, message: unknown) {
  return { status, body: { success: false, message, error } };
}
