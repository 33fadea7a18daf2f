import { systemActor } from '../../../../shared/kernel/actor.ts';
import { packed } from '../../../../shared/kernel/packing.ts';
import { sortInCursor, toPage } from '../../../../shared/table/cursor.ts';
import { joined, type Key, keyParts, liesIn, type Range, type Space } from '../../../../shared/table/key.ts';
import type {
  QueryOptions,
  RawRow,
  Stored,
  TableReader,
  TableWriter,
} from '../../../../shared/table/table.ts';
import { keyText, OverlayRows, storedRecord } from './overlay-rows.ts';
import { commitOver, overlayActions } from './overlay-writes.ts';

/**
 * A table that keeps what is written in memory, over one that is only read: every read sees what was written here, and nothing reaches
 * the table. Conditions, versions, updates of attributes and the errors of failed conditions are those of the real table, as far as
 * `expressions.ts` understands them; other expressions throw. What others write to the real table meanwhile is seen where nothing was
 * written here.
 *
 * One transaction may have actions of several overlays. Actions of real tables in it have no effect and no conditions: an operation that is
 * only simulated may build them for a port that is not an overlay. Records do not expire here.
 */
export function overlayTable<S extends Space>(reader: TableReader<S>): TableWriter<S> {
  const rows = new OverlayRows(reader);

  /** Puts what was written in the place of what was read. */
  function merged(
    range: Range<unknown, S>,
    read: readonly Stored<unknown, S>[],
    { descending = false, start }: QueryOptions & { start?: string | undefined },
  ): Stored<unknown, S>[] {
    const found = rows
      .in(range)
      .filter(({ sort }) => start === undefined || isBeyond(sort, start, descending));
    const written = found.flatMap((row) => storedRecord<unknown, S>(row) ?? []);
    const untouched = read.filter(({ key }) => rows.at(key) === undefined);
    const order = descending ? -1 : 1;
    return [...untouched, ...written].sort(
      (record, other) => order * compareBytes(joined(record.key.sort), joined(other.key.sort)),
    );
  }

  /** So many more must be read: each row that was written may hide one that is read. */
  const withHidden = (range: Range<unknown, S>, limit: number) => limit + rows.in(range).length;

  async function list(range: Range<unknown, S>, options: QueryOptions = {}) {
    const { limit } = options;
    const more = limit === undefined ? {} : { limit: withHidden(range, limit) };
    return merged(range, await reader.list(range, { ...options, ...more }), options).slice(0, limit);
  }

  const table: TableWriter<S> = {
    organizationId: reader.organizationId,
    origin: { actor: systemActor },
    // What is simulated has the times of its steps, which are later.
    now: new Date(0),
    optimistically: reader.optimistically,

    async read<Data>(key: Key<Data, S>, options?: Pick<QueryOptions, 'consistent'>) {
      const row = rows.at(key);
      return row === undefined ? reader.read(key, options) : storedRecord<Data, S>(row);
    },

    async readMany<Data>(keys: readonly Key<Data, S>[], options?: Pick<QueryOptions, 'consistent'>) {
      const unwritten = keys.filter((key) => rows.at(key) === undefined);
      const read = unwritten.length === 0 ? [] : await reader.readMany(unwritten, options);
      const found = new Map(unwritten.map((key, index) => [keyText(key), read[index]]));
      return keys.map((key) => {
        const row = rows.at(key);
        return row === undefined ? found.get(keyText(key)) : storedRecord<Data, S>(row);
      });
    },

    list: list as TableWriter<S>['list'],

    async page<Data>(range: Range<Data, S>, options: Parameters<TableReader<S>['page']>[1]) {
      const { limit, cursor, isShown, ...order } = options;
      const start = cursor === undefined ? undefined : sortInCursor(cursor, (sort) => liesIn(range, sort));
      const more = withHidden(range, limit + 1);
      const { records } = await reader.page(range, { ...order, cursor, limit: more });
      const found = merged(range, records, { ...order, start }) as Stored<Data, S>[];
      return toPage(found, { ...order, limit, isShown });
    },

    async *rows(range, options = {}) {
      const { limit } = options;
      const read: RawRow[] = [];
      const more = limit === undefined ? {} : { limit: withHidden(range, limit) };
      for await (const batch of reader.rows(range, { ...options, ...more })) {
        read.push(...batch);
      }
      const { partition } = range;
      const untouched = read.filter(({ sk }) => rows.at({ partition, sort: keyParts(sk) }) === undefined);
      const written = rows.in(range).flatMap(({ sort, record }): RawRow[] => {
        const { data } = record ?? {};
        return record === undefined ? [] : [{ sk: sort, ...(data !== undefined && { data: packed(data) }) }];
      });
      const order = options.descending ? -1 : 1;
      yield [...untouched, ...written]
        .sort((row, other) => order * compareBytes(row.sk, other.sk))
        .slice(0, limit);
    },

    ...overlayActions(rows),
    commit: commitOver,

    async deleteMany(keys) {
      for (const key of keys) {
        rows.set(key, undefined);
      }
    },

    putMany: (records) =>
      commitOver(records.map(({ key, data, ...options }) => table.put(key, data, options))),

    async update(key, change) {
      await commitOver([table.updateAction(key, change)]);
      return rows.at(key)?.record?.attributes ?? {};
    },
  };
  return table;
}

/** In the order of the table: that of UTF-8. */
function compareBytes(text: string, other: string): number {
  return Buffer.compare(Buffer.from(text), Buffer.from(other));
}

function isBeyond(sort: string, start: string, descending: boolean): boolean {
  return descending ? compareBytes(sort, start) < 0 : compareBytes(sort, start) > 0;
}

/** A table without records: below an overlay, for what a simulation writes and nothing reads but itself. */
export function emptyTable<S extends Space>(): TableReader<S> {
  return {
    organizationId: '',
    read: async () => undefined,
    readMany: async (keys) => keys.map(() => undefined),
    list: async () => [],
    page: async () => ({ records: [], nextCursor: null }),
    async *rows() {},
    optimistically: (attempt) => attempt(),
  };
}
