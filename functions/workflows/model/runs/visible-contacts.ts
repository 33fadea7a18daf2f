import { contactKey } from '../../../../shared/contacts/contact.ts';
import { peopleOf, type Scope, sees } from '../../../../shared/organizations/visibility.ts';
import { readAll } from '../../../../shared/table/read-all.ts';
import type { TableReader } from '../../../../shared/table/table.ts';

/** Whether the scope includes the contact with an id, for these ids. Reads contacts only for a scope that depends on them. */
export async function visibleContacts(
  table: TableReader,
  scope: Scope,
  ids: readonly string[],
): Promise<(contactId: string) => boolean> {
  if (scope.kind === 'organization') {
    return () => true;
  }
  const contacts = await readAll(table, [...new Set(ids)].map(contactKey));
  const visible = new Set(
    contacts.flatMap((contact) =>
      contact !== undefined && sees(scope, peopleOf(contact.data)) ? [contact.data._id] : [],
    ),
  );
  return (contactId) => visible.has(contactId);
}
