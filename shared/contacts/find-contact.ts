import type { Caller } from '../kernel/caller.ts';
import { Failure, notFound } from '../kernel/failure.ts';
import { involvedPeople, readScope, sees } from '../organizations/visibility.ts';
import type { Stored, TableReader } from '../table/table.ts';
import type { StoredContact } from './contact.ts';
import { readContact } from './holdings.ts';

/** A contact that the caller may see. @throws a 404 `Failure` otherwise. */
export async function findContact(
  table: TableReader,
  caller: Caller,
  id: string,
): Promise<Stored<StoredContact>> {
  const [contact, scope] = await Promise.all([readContact(table, id), readScope(caller, table)]);
  if (contact === undefined || !sees(scope, involvedPeople(contact.data))) {
    throw notFound('Contact');
  }
  requireUnmerged(id, contact.data);
  return contact;
}

/** The 404 for a contact that was merged into one that the caller sees. */
export class ContactMerged extends Failure {
  readonly mergedInto: string;

  constructor(mergedInto: string) {
    super('NOT_FOUND', notFound('Contact').message);
    this.mergedInto = mergedInto;
  }
}

/** @throws a `ContactMerged` for the id of a contact that was merged into this one, which the caller sees. */
export function requireUnmerged(id: string, contact: Pick<StoredContact, '_id'>): void {
  if (contact._id !== id) {
    throw new ContactMerged(contact._id);
  }
}
