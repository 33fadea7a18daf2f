import { isDeepStrictEqual } from 'node:util';
import { contactIdIn } from '../kernel/child-id.ts';
import { Failure } from '../kernel/failure.ts';
import { isVisible } from '../kernel/schemas/fields.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';
import type { StoredAttachment } from './attachments.ts';
import type { Reaction } from './reactions.ts';

export interface StoredNote {
  _id: string;
  contactId: string;
  userId: string;
  note: string;
  mentions: string[];
  attachments: StoredAttachment[];
  reactions: Reaction[];
  isEdited: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** A note as it is first stored: not edited, without reactions. */
export function newNote(
  written: Pick<StoredNote, '_id' | 'contactId' | 'userId' | 'note' | 'mentions' | 'attachments'>,
  at: Timestamp,
): StoredNote {
  return { ...written, reactions: [], isEdited: false, createdAt: at, updatedAt: at };
}

/**
 * The note with its new text or mentions; the same object if nothing changes. Only a new text sets `isEdited`.
 * @throws a 400 `Failure` when neither text nor attachments would be left.
 */
export function edited(
  before: StoredNote,
  fields: { note?: string | undefined; mentions?: string[] | undefined },
  at: Timestamp,
): StoredNote {
  const { note = before.note, mentions = before.mentions } = fields;
  if (!isVisible(note) && before.attachments.length === 0) {
    throw new Failure('INVALID', 'note must not be empty: it has no attachments');
  }
  const isEdited = before.isEdited || note !== before.note;
  const after = { ...before, note, mentions, isEdited };
  return isDeepStrictEqual(after, before) ? before : { ...after, updatedAt: at };
}

export const noteKey = (id: string): Key<StoredNote> => ({
  partition: ['CONTACT', contactIdIn(id)],
  sort: ['NOTE', id],
});

export const noteRange = (contactId: string): Range<StoredNote> => ({
  partition: ['CONTACT', contactId],
  under: ['NOTE'],
});
