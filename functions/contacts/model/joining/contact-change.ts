import type { StoredContact } from '../../../../shared/contacts/contact.ts';
import type { Actor } from '../../../../shared/kernel/actor.ts';
import { contactIdIn } from '../../../../shared/kernel/child-id.ts';
import { day, type Timestamp } from '../../../../shared/kernel/time.ts';
import type { Key, Range } from '../../../../shared/table/key.ts';

/** How long a merge or a separation can be undone. */
export const undoneWithin = 30 * day;

/**
 * A merge or a separation of two contacts, with what both were before. It is kept with the contact that it is listed under, and erased
 * with it.
 */
export interface ContactChange {
  _id: string;
  /** The contact that another one was merged into, or that something was separated from. */
  contactId: string;
  type: 'merge' | 'separation';
  /** The contact that was merged into it, or that got what was separated. */
  otherContactId: string;
  at: Timestamp;
  actor: Actor;
  /** Absent until it is undone. */
  undoneAt?: Timestamp;
  /** Both contacts before; without the other one if the separation created it. */
  before: { readonly contact: StoredContact; readonly other?: StoredContact };
  /** The conversations and applications, notes, calls and snapshots that went to another contact. */
  moved: readonly string[];
}

export const contactChangeKey = (id: string): Key<ContactChange> => ({
  partition: ['CONTACT', contactIdIn(id)],
  sort: ['JOINED', id],
});

export const contactChangeRange = (contactId: string): Range<ContactChange> => ({
  partition: ['CONTACT', contactId],
  under: ['JOINED'],
});
