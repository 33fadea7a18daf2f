import { joined, type Key, type Range, type Space } from '../../../../shared/table/key.ts';
import {
  type QueryOptions,
  type Stored,
  type TableReader,
  VersionConflict,
} from '../../../../shared/table/table.ts';
import { keyText } from './overlay-rows.ts';

/**
 * A reader that reads each record and each range once: the steps of a simulation need the same ones again and again, and see no changes
 * but their own. After a conflict with changes that others have made meanwhile, everything is read again.
 */
export function cachedReads<S extends Space>(reader: TableReader<S>): TableReader<S> {
  const records = new Map<string, Promise<Stored<unknown, S> | undefined>>();
  const lists = new Map<string, Promise<unknown>>();

  async function readMany<Data>(keys: readonly Key<Data, S>[]): Promise<(Stored<Data, S> | undefined)[]> {
    const unknown = keys.filter((key) => !records.has(keyText(key)));
    if (unknown.length > 0) {
      const [only] = unknown;
      const reading =
        unknown.length === 1 && only !== undefined
          ? reader.read(only).then((found) => [found])
          : reader.readMany(unknown);
      for (const [index, key] of unknown.entries()) {
        records.set(
          keyText(key),
          reading.then((found) => found[index]),
        );
      }
    }
    return Promise.all(keys.map((key) => records.get(keyText(key)) as Promise<Stored<Data, S> | undefined>));
  }

  function once<Result>(key: string, read: () => Promise<Result>): Promise<Result> {
    const known = (lists.get(key) as Promise<Result> | undefined) ?? read();
    lists.set(key, known);
    return known;
  }

  return {
    organizationId: reader.organizationId,
    readMany,
    read: async (key) => (await readMany([key]))[0],
    list: (range, options) => once(rangeText(range, options), () => reader.list(range, options)),
    page: reader.page,
    rows: reader.rows,
    optimistically: (attempt) =>
      reader.optimistically(async () => {
        try {
          return await attempt();
        } catch (error) {
          if (error instanceof VersionConflict) {
            records.clear();
            lists.clear();
          }
          throw error;
        }
      }),
  };
}

function rangeText({ partition, under, between }: Range<unknown, Space>, options: QueryOptions = {}): string {
  return JSON.stringify([joined(partition), under, between, options.limit, options.descending]);
}
