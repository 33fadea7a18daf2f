import type { StoredContact } from '../../../../shared/contacts/contact.ts';
import type { Actor } from '../../../../shared/kernel/actor.ts';
import { contactIdIn } from '../../../../shared/kernel/child-id.ts';
import { day, type Timestamp } from '../../../../shared/kernel/time.ts';
import type { Key, Range } from '../../../../shared/table/key.ts';

/** How long a merge can be undone. */
export const undoneWithin = 30 * day;

/** A merge of two contacts, with what both were before. It is kept with the contact that has everything of both, and erased with it. */
export interface Merge {
  _id: string;
  /** The contact that another one was merged into. */
  contactId: string;
  type: 'merge';
  /** The contact that was merged into it. */
  otherContactId: string;
  at: Timestamp;
  actor: Actor;
  /** Absent until it is undone. */
  undoneAt?: Timestamp;
  before: { readonly contact: StoredContact; readonly other: StoredContact };
  after: StoredContact;
  /** The conversations and applications of the other contact. */
  moved: readonly string[];
  /** The version that the record of the other contact gets if it is there again: a later one than anybody has seen. */
  nextVersion: number;
}

export type ContactChange = Merge;

export const contactChangeKey = (id: string): Key<ContactChange> => ({
  partition: ['CONTACT', contactIdIn(id)],
  sort: ['JOINED', id],
});

export const contactChangeRange = (contactId: string): Range<ContactChange> => ({
  partition: ['CONTACT', contactId],
  under: ['JOINED'],
});

/** The table deletes what has expired within days, not at once. */
export const canBeUndone = ({ at }: ContactChange, now: Date): boolean =>
  now.getTime() - Date.parse(at) < undoneWithin;
