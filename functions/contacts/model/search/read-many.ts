import type { Key } from '../../../../shared/table/key.ts';
import type { Stored, TableReader } from '../../../../shared/table/table.ts';

/** What one request takes. */
const mostKeys = 100;

/** Any number of records by key, in the order of the keys. */
export async function readMany<Data>(
  table: TableReader,
  keys: readonly Key<Data>[],
  options: { consistent?: boolean } = {},
): Promise<(Stored<Data> | undefined)[]> {
  const requests: Promise<(Stored<Data> | undefined)[]>[] = [];
  for (let from = 0; from < keys.length; from += mostKeys) {
    requests.push(table.readMany(keys.slice(from, from + mostKeys), options));
  }
  return (await Promise.all(requests)).flat();
}
