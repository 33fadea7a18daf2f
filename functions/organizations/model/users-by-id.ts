import type { User } from '../../../shared/organizations/user.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** Keys in one request. */
const batch = 100;

/** Reads these users of the organization, in one round trip; those that do not exist are missing. */
export async function usersById(table: TableReader, ids: readonly string[]): Promise<Map<string, User>> {
  const wanted = [...new Set(ids)];
  const batches = Array.from({ length: Math.ceil(wanted.length / batch) }, (_, index) =>
    table.readMany(wanted.slice(index * batch, (index + 1) * batch).map(userKey)),
  );
  const found = (await Promise.all(batches)).flat();
  return new Map(found.flatMap((stored) => (stored === undefined ? [] : [[stored.data._id, stored.data]])));
}
