import { type Caller, reaches } from '../kernel/caller.ts';
import { Failure, notFound } from '../kernel/failure.ts';
import { involvedPeople, readScope, sees } from '../organizations/visibility.ts';
import type { Key } from '../table/key.ts';
import type { Stored, TableReader } from '../table/table.ts';
import { contactKey, type StoredContact } from './contact.ts';
import { readOwner } from './holdings.ts';

/** A child as stored, with the contact that it belongs to, if that is there. */
export type FoundChild<Data> = Stored<Data> & { readonly contact: Stored<StoredContact> | undefined };

/**
 * A child of a contact, for a caller who may see the contact or for whom `isOwn` is true; in one round trip unless the contact was merged or
 * separated.
 * @throws a 404 `Failure` otherwise.
 */
export async function findChild<Data extends { _id: string; contactId: string }>(
  table: TableReader,
  caller: Caller,
  key: Key<Data>,
  what: string,
  isOwn: (record: Data) => boolean = () => false,
): Promise<FoundChild<Data>> {
  const homeId = key.partition.at(-1) ?? '';
  const [record, home, scope] = await Promise.all([
    table.read(key),
    table.read(contactKey(homeId)),
    readScope(caller, table),
  ]);
  const contact = await readOwner(table, record?.data, home);
  const isVisible = contact !== undefined && sees(scope, involvedPeople(contact.data));
  if (record === undefined || !(isVisible || isOwn(record.data))) {
    throw notFound(what);
  }
  return { ...record, contact };
}

/** @throws a 403 `Failure` for anybody but the creator or a DEPARTMENT_HEAD or higher. */
export function requireCreator({ createdBy }: { createdBy: string }, { userId, role }: Caller): void {
  if (createdBy !== userId && !reaches(role, 'DEPARTMENT_HEAD')) {
    throw new Failure('FORBIDDEN', 'Only its creator or a DEPARTMENT_HEAD may do this.');
  }
}
