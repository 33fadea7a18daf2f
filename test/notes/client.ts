import type { Call } from '../harness/call.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus, type Tenants } from '../harness/tenants.ts';

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

export type NotesClient = ReturnType<typeof notesClient>;

/** The operations on notes, as one person calls them. */
export function notesClient(product: Product, { token }: Person, headers: Record<string, string> = {}) {
  const call = (name: string, more: Call) => product.call(name, { token, headers, ...more });
  const create = (body: Fields, at?: Date) => call('create-note', { body, at });
  const list = (contactId: string, query = {}) => call('list-notes', { query: { contactId, ...query } });
  return {
    create,
    list,
    edit: (id: string, body: Fields, at?: Date) => call('edit-note', { path: { id }, body, at }),
    remove: (id: string) => call('delete-note', { path: { id } }),
    react: (id: string, emoji: unknown) => call('toggle-reaction', { path: { id }, body: { emoji } }),
    /** A new note on a contact; writing it must succeed. */
    written: async (contactId: string, body: Fields = {}): Promise<Note> =>
      expectStatus(await create({ contactId, note: 'Call back', ...body }), 201).data,
    /** The first page of the notes on a contact; reading it must succeed. */
    notes: async (contactId: string): Promise<Note[]> => expectStatus(await list(contactId), 200).data,
  };
}

/** A new note on a new contact of `rep`, by somebody who sees it. */
export async function writtenNote(
  { product, newContact }: Pick<Tenants, 'product' | 'newContact'>,
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
