import { sortInCursor, toCursor } from './cursor.ts';
import { joined, type Range } from './key.ts';
import type { Stored, TableReader } from './table.ts';

export interface MergedPageOptions<Data> {
  readonly limit: number;
  /** The `nextCursor` of the previous page. An unknown one is a 400. */
  readonly cursor?: string | undefined;
  /** Last sort key first, for lists by time. Default true. */
  readonly descending?: boolean | undefined;
  /** Selects the records of the list; the others are read too. */
  readonly matches?: ((data: Data, record: Stored<Data>) => boolean) | undefined;
  /** Strongly consistent, at twice the cost. Default false. */
  readonly consistent?: boolean | undefined;
  /**
   * Reads the ranges one after the other, for records that move from an earlier range to a later one: consistent reads then miss
   * none. Default false.
   */
  readonly inTurn?: boolean | undefined;
}

export interface MergedPage<Data> {
  readonly records: readonly Stored<Data>[];
  /** Null at the end. */
  readonly nextCursor: string | null;
}

/**
 * The most records read of each range for one page: a filter that leaves out nearly everything returns short pages, not late
 * ones.
 */
const maxRead = 2_000;

/**
 * One page of several ranges with the same sort order, as if they were one: the lists of several users. A record in more than
 * one range comes once. It takes one round trip, unless a filter leaves out most records; a page may then be short although more
 * follow.
 */
export async function readMergedPage<Data>(
  table: TableReader,
  ranges: readonly Range<Data>[],
  { inTurn = false, ...options }: MergedPageOptions<Data>,
): Promise<MergedPage<Data>> {
  const { limit, descending = true } = options;
  const [any] = ranges;
  if (any === undefined) {
    return { records: [], nextCursor: null };
  }
  const pages = await read(ranges, (range) => matchesIn(table, range, options), inTurn);
  // Beyond the first point where a range stopped, records of that range may be missing.
  const ends = pages.flatMap(({ end }) => (end === undefined ? [] : [end]));
  const before = (a: string, b: string) => (descending ? a > b : a < b);
  const end = ends.reduce<string | undefined>(
    (nearest, one) => (nearest === undefined || before(one, nearest) ? one : nearest),
    undefined,
  );
  const bySort = new Map(
    pages.flatMap(({ records }) => records.map((record) => [joined(record.key.sort), record] as const)),
  );
  const sorted = [...bySort]
    .filter(([sort]) => end === undefined || !before(end, sort))
    .sort(([a], [b]) => (before(a, b) ? -1 : 1));
  const page = sorted.slice(0, limit);
  const last = sorted.length > limit ? page.at(-1)?.[0] : end;
  return {
    records: page.map(([, record]) => record),
    nextCursor: last === undefined ? null : toCursor(last),
  };
}

async function read<Item, Result>(
  items: readonly Item[],
  one: (item: Item) => Promise<Result>,
  inTurn: boolean,
): Promise<Result[]> {
  if (!inTurn) {
    return Promise.all(items.map(one));
  }
  const results: Result[] = [];
  for (const item of items) {
    results.push(await one(item));
  }
  return results;
}

interface RangePage<Data> {
  readonly records: readonly Stored<Data>[];
  /** A place before which everything was read; undefined when the range was read to its end. */
  readonly end: string | undefined;
}

async function matchesIn<Data>(
  table: TableReader,
  range: Range<Data>,
  { limit, cursor, descending = true, consistent = false, matches }: MergedPageOptions<Data>,
): Promise<RangePage<Data>> {
  const records: Stored<Data>[] = [];
  const isShown = matches && ((record: Stored<Data>) => matches(record.data, record));
  let next: string | undefined = cursor;
  // Twice as many each time: small pages of a filter that leaves out everything would take hundreds of reads.
  let wanted = matches === undefined ? limit : limit * 4;
  for (let read = 0; read < maxRead; wanted *= 2) {
    const page = await table.page(range, {
      limit: Math.min(wanted, maxRead - read),
      descending,
      consistent,
      cursor: next,
      isShown,
    });
    records.push(...(isShown ? page.records.filter(isShown) : page.records));
    read += page.records.length;
    if (page.nextCursor === null) {
      return { records, end: undefined };
    }
    next = page.nextCursor;
    if (records.length >= limit) {
      break;
    }
  }
  return { records, end: next === undefined ? undefined : sortInCursor(next, () => true) };
}
