import type { StoredContact } from '../contacts/contact.ts';
import { definedOnly } from '../kernel/defined-only.ts';
import { after, day, latest, type Timestamp, timestamp } from '../kernel/time.ts';
import { involvedPeople } from '../organizations/visibility.ts';
import type { Key, Range } from '../table/key.ts';
import type { Action, Stored, TableWriter } from '../table/table.ts';

/** How a contact went from those who could see it. */
export const removalReasons = ['deleted', 'merged', 'archived', 'out_of_scope'] as const;
export type RemovalReason = (typeof removalReasons)[number];

/** A contact that is gone for some, or for all, who could see it; for programs that keep a copy of what they see. */
export interface RemovedContact {
  readonly reason: RemovalReason;
  /** Its people until then: who could see one of them could see the contact. */
  readonly people: readonly string[];
  /** Its people since then, if some still see it. */
  readonly remaining?: readonly string[];
  /** The contact that it became part of. */
  readonly mergedInto?: string;
}

/** How long they are stored, in milliseconds. */
export const removedContactLifetime = 30 * day;

/** In the order of time. `version` is that of the contact's record until then: it may go twice at the same time. */
export const removedContactKey = (
  deletedAt: Timestamp,
  contactId: string,
  version: string,
): Key<RemovedContact> => ({ partition: ['REMOVED_CONTACTS'], sort: [deletedAt, contactId, version] });

/** Those from a time on. */
export const removedContactRange = (from: Timestamp): Range<RemovedContact> => ({
  partition: ['REMOVED_CONTACTS'],
  between: { from, to: ':' },
});

/**
 * The action that remembers a contact which a change takes from somebody; none for any other change.
 * @param mergedInto the contact that it became part of, if it did.
 */
export function removedContactActions(
  table: TableWriter,
  stored: Stored<StoredContact> | undefined,
  next: StoredContact | undefined,
  mergedInto?: string,
): Action[] {
  if (stored === undefined || stored.data.archivedAt !== undefined) {
    return [];
  }
  const { data: before, version } = stored;
  const people = involvedPeople(before);
  const remaining = next === undefined || next.archivedAt !== undefined ? undefined : involvedPeople(next);
  if (remaining !== undefined && people.every((userId) => remaining.includes(userId))) {
    return [];
  }
  const gone = mergedInto === undefined ? 'deleted' : 'merged';
  const reason = next === undefined ? gone : remaining === undefined ? 'archived' : 'out_of_scope';
  const deletedAt = next?.updatedAt ?? latest(timestamp(table.now), before.updatedAt);
  const removed = { reason, people, ...definedOnly({ remaining, mergedInto }) } as const;
  return [
    table.put(removedContactKey(deletedAt, before._id, String(version)), removed, {
      expiresAt: after(table.now, removedContactLifetime),
    }),
  ];
}
