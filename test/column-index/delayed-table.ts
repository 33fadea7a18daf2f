import type { Key } from '../../shared/table/key.ts';
import type { Stored, TableReader } from '../../shared/table/table.ts';

/** How a record was: at its key, or missing. */
export interface FormerRecord {
  readonly key: Key<unknown>;
  readonly stored: Stored<unknown> | undefined;
}

/**
 * A table on which one item of a transaction becomes visible later than the others: the first reads return it as it was before.
 */
export function delayedTable(table: TableReader, { key, stored }: FormerRecord, readings: number) {
  const place = placeOf(key);
  let left = readings;
  const isDelayed = () => {
    left -= 1;
    return left >= 0;
  };
  const shown = <Data>(record: Stored<Data> | undefined) =>
    record !== undefined && placeOf(record.key) === place && isDelayed()
      ? (stored as Stored<Data> | undefined)
      : record;
  const delayed: TableReader = {
    ...table,
    read: async (one) => shown(await table.read(one)),
    readMany: async (keys, options) => (await table.readMany(keys, options)).map(shown),
    list: async (range, options) =>
      (await table.list(range, options)).map(shown).filter((record) => record !== undefined),
  };
  return {
    table: delayed,
    /** Whether no further read returns the former record. */
    isSettled: () => left <= 0,
  };
}

const placeOf = ({ partition, sort }: Key<unknown>) => [...partition, ...sort].join();
