import { chunks } from '../kernel/chunks.ts';
import type { Key, Space } from './key.ts';
import type { QueryOptions, Stored, TableReader } from './table.ts';

/** Keys that one `readMany` takes. */
const maxKeys = 100;

/** Any number of records by key, in the order of the keys, in one round trip; strongly consistent unless stated. */
export async function readAll<Data, S extends Space>(
  table: TableReader<S>,
  keys: readonly Key<Data, S>[],
  options?: Pick<QueryOptions, 'consistent'>,
): Promise<(Stored<Data, S> | undefined)[]> {
  const found = await Promise.all(chunks(keys, maxKeys).map((some) => table.readMany(some, options)));
  return found.flat();
}
