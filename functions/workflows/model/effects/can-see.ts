import type { StoredContact } from '../../../../shared/contacts/contact.ts';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { peopleOf, scopeOf, sees } from '../../../../shared/visibility.ts';

/** Whether this user may see the contact now. */
export async function canSee(table: TableReader, caller: Caller, contact: StoredContact): Promise<boolean> {
  return sees(await scopeOf(caller, table), peopleOf(contact));
}
