import type { Caller } from '../kernel/caller.ts';
import { notFound } from '../kernel/failure.ts';
import { involvedPeople, readScope, sees } from '../organizations/visibility.ts';
import type { Stored, TableReader } from '../table/table.ts';
import type { StoredContact } from './contact.ts';
import { contactKey } from './contact.ts';

/** A contact that the caller may see. @throws a 404 `Failure` otherwise. */
export async function findContact(
  table: TableReader,
  caller: Caller,
  id: string,
): Promise<Stored<StoredContact>> {
  const [contact, scope] = await Promise.all([table.read(contactKey(id)), readScope(caller, table)]);
  if (contact === undefined || !sees(scope, involvedPeople(contact.data))) {
    throw notFound('Contact');
  }
  return contact;
}
