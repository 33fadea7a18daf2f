import type { OwnedObject } from '../kernel/providers/objects.ts';
import { after, hour } from '../kernel/time.ts';
import type { Key } from '../table/key.ts';
import type { Action, TableWriter } from '../table/table.ts';

/**
 * The objects of a record, listed in the partition of what they belong to. They exist as long as this list: when it is deleted, for
 * whatever reason, the stream reports it, and the objects are deleted. So an object is announced in such a list before it is stored, and
 * expires with it unless the transaction of its record confirms it.
 */
export interface OwnedObjects {
  readonly objects: readonly OwnedObject[];
  /** Set until they are confirmed: they may be stored only after this was deleted. */
  readonly isAnnounced?: true;
}

/** How long a request may take between storing an object and committing its record: far longer than it lives. */
const maxPending = hour;

/** Announces objects that are about to be stored. */
export function announceObjects(
  table: TableWriter,
  key: Key<OwnedObjects>,
  objects: readonly OwnedObject[],
  now: Date,
): Promise<void> {
  const announcement: OwnedObjects = { objects, isAnnounced: true };
  return table.commit([table.put(key, announcement, { expiresAt: after(now, maxPending) })], {
    isAhead: true,
  });
}

/** Deletes announced objects of a contact once more later: their announcement is deleted now, perhaps before they are stored. */
export async function deleteLater(
  table: TableWriter,
  contactId: string,
  recordId: string,
  objects: readonly OwnedObject[],
  now: Date,
): Promise<void> {
  const expiresAt = after(now, maxPending);
  await table.commit([table.put(lateObjectsKey(contactId, recordId), { objects }, { expiresAt })]);
}

/** The action that keeps announced objects, in the transaction of their record. */
export function confirmObjectsAction(
  table: TableWriter,
  key: Key<OwnedObjects>,
  objects: readonly OwnedObject[],
): Action {
  return table.put(key, { objects });
}

/** The document of a workflow's revision. */
export const workflowObjectsKey = (workflowId: string, revision: string): Key<OwnedObjects> => ({
  partition: ['WORKFLOW', workflowId],
  sort: ['OBJECTS', revision],
});

/** The objects of a contact's note or message, or an export of it. */
export const contactObjectsKey = (contactId: string, recordId: string): Key<OwnedObjects> => ({
  partition: ['CONTACT', contactId],
  sort: ['OBJECTS', recordId],
});

/** Announced objects of a deleted contact, which are deleted when it is, and once more when this expires. */
export const lateObjectsKey = (contactId: string, recordId: string): Key<OwnedObjects> => ({
  partition: ['CONTACT', contactId],
  sort: ['OBJECTS', recordId, 'LATE'],
});
