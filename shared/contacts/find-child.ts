import { type Caller, reaches } from '../kernel/caller.ts';
import { Failure, notFound } from '../kernel/failure.ts';
import { involvedPeople, readScope, sees } from '../organizations/visibility.ts';
import type { Key } from '../table/key.ts';
import type { Stored, TableReader } from '../table/table.ts';
import { contactKey } from './contact.ts';

/**
 * A child of a contact, for a caller who may see the contact or for whom `isOwn` is true; in one round trip.
 * @throws a 404 `Failure` otherwise.
 */
export async function findChild<Data extends { _id: string }>(
  table: TableReader,
  caller: Caller,
  key: Key<Data>,
  what: string,
  isOwn: (record: Data) => boolean = () => false,
): Promise<Stored<Data>> {
  const contactId = key.partition.at(-1) ?? '';
  const [record, contact, scope] = await Promise.all([
    table.read(key),
    table.read(contactKey(contactId)),
    readScope(caller, table),
  ]);
  const isVisible = contact !== undefined && sees(scope, involvedPeople(contact.data));
  if (record === undefined || !(isVisible || isOwn(record.data))) {
    throw notFound(what);
  }
  return record;
}

/** @throws a 403 `Failure` for anybody but the creator or a DEPARTMENT_HEAD or higher. */
export function requireCreator({ createdBy }: { createdBy: string }, { userId, role }: Caller): void {
  if (createdBy !== userId && !reaches(role, 'DEPARTMENT_HEAD')) {
    throw new Failure('FORBIDDEN', 'Only its creator or a DEPARTMENT_HEAD may do this.');
  }
}
