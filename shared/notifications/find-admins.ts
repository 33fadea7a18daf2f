import { reaches } from '../kernel/caller.ts';
import { readUsers } from '../organizations/visibility.ts';
import type { TableReader } from '../table/table.ts';
import type { NotificationType } from './notification.ts';
import { findRecipients, type Recipient } from './notify.ts';
import { readPreferences, wants } from './preferences.ts';

/** The administrators who are told: as many as one transaction has room for. */
const told = 40;

/** The administrators of an organization who want notifications of a type. */
export async function findAdmins(table: TableReader, type: NotificationType): Promise<Recipient[]> {
  const users = await readUsers(table);
  const admins = users.filter(({ accessRole, disabled }) => reaches(accessRole, 'ADMIN') && !disabled);
  const preferences = await Promise.all(admins.map(({ _id }) => readPreferences(table, _id)));
  const wanting = admins.filter((_, index) => {
    const own = preferences[index];
    return own !== undefined && wants(own, type);
  });
  const found = await findRecipients(
    table,
    wanting.slice(0, told).map(({ _id }) => _id),
  );
  return found.filter((recipient) => recipient !== undefined);
}
