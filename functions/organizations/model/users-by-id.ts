import type { User } from '../../../shared/organizations/user.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import { readAll } from '../../../shared/table/read-all.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** Reads these users of the organization, in one round trip; users that do not exist are missing. */
export async function readUsersById(table: TableReader, ids: readonly string[]): Promise<Map<string, User>> {
  const found = await readAll(table, [...new Set(ids)].map(userKey));
  return new Map(found.flatMap((stored) => (stored === undefined ? [] : [[stored.data._id, stored.data]])));
}
