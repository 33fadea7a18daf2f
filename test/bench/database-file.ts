import { DatabaseSync } from 'node:sqlite';
import { startDatabase } from '../../infra/local/database/database.ts';
import { openTable } from '../../infra/seed/connection.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import { writeContacts } from './bulk-writer.ts';

/** The name of the table in a file of the embedded database, which has only one. */
export function tableNameIn(file: string): string {
  using database = new DatabaseSync(file, { readOnly: true });
  return String(database.prepare('SELECT table_name FROM _tables').get()?.table_name);
}

/** Writes contacts into the file. No host may run on it, because it would read the stream at the same time. */
export async function writeContactsInto(
  file: string,
  organizationId: string,
  contacts: Iterable<StoredContact>,
): Promise<void> {
  const database = await startDatabase(file);
  try {
    using table = openTable({ dynamodbEndpoint: database.endpoint, tableName: tableNameIn(file) });
    await writeContacts(table.organization(organizationId), contacts);
  } finally {
    await database.stop();
  }
}
