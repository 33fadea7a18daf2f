import type { Stored, TableReader } from '../../../../shared/table/table.ts';

/** Keys that one read takes. */
const mostKeys = 100;

/** Any number of records by key, in one round trip. */
export async function readAll<Data>(
  table: TableReader,
  keys: Parameters<typeof table.readMany<Data>>[0],
): Promise<(Stored<Data> | undefined)[]> {
  const parts = Array.from({ length: Math.ceil(keys.length / mostKeys) }, (_, index) =>
    table.readMany(keys.slice(index * mostKeys, (index + 1) * mostKeys)),
  );
  return (await Promise.all(parts)).flat();
}
