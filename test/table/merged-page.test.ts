import { beforeEach, expect, test } from 'vitest';
import type { Key, Range } from '../../shared/table/key.ts';
import { type MergedPageOptions, readMergedPage } from '../../shared/table/merged-page.ts';
import type { TableReader, TableWriter } from '../../shared/table/table.ts';
import { setUpProduct } from '../harness/fixtures.ts';

const product = await setUpProduct();

let organizations = 0;
let table: TableWriter;
beforeEach(() => {
  organizations += 1;
  table = product.tableOf(`organization-${organizations}`).table;
});

interface Entry {
  readonly number: number;
}

const shelves = ['left', 'middle', 'right'] as const;
const range = (shelf: string): Range<Entry> => ({ partition: [shelf] });
const key = (shelf: string, number: number): Key<Entry> => ({
  partition: [shelf],
  sort: [String(number).padStart(5, '0')],
});

/** Writes each number to the shelves that it lies on. */
async function write(numbers: readonly number[], shelvesOf: (number: number) => readonly string[]) {
  const actions = numbers.flatMap((number) =>
    shelvesOf(number).map((shelf) => table.put(key(shelf, number), { number })),
  );
  for (let start = 0; start < actions.length; start += 100) {
    await table.commit(actions.slice(start, start + 100));
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);

/** The numbers of all pages, first to last. */
async function walk(options: MergedPageOptions<Entry>): Promise<number[][]> {
  const pages: number[][] = [];
  let cursor: string | undefined;
  do {
    const page = await readMergedPage(table, shelves.map(range), { ...options, cursor });
    pages.push(page.records.map(({ data }) => data.number));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && pages.length < 1_000);
  return pages;
}

/** The table, and how many pages of it were asked for. */
function counted(): { reader: TableReader; asked: () => number } {
  let asked = 0;
  const page: TableReader['page'] = (...parameters) => {
    asked += 1;
    return table.page(...parameters);
  };
  return { reader: { ...table, page }, asked: () => asked };
}

const filters = {
  everything: undefined,
  'every third': ({ number }: Entry) => number % 3 === 0,
  'the first few': ({ number }: Entry) => number < 3,
  'the last few': ({ number }: Entry) => number > 36,
  nothing: () => false,
};

test.each(
  Object.keys(filters).flatMap((name) =>
    [1, 2, 5, 40].flatMap((limit) => [true, false].map((descending) => ({ name, limit, descending }))),
  ),
)(
  'The pages of several ranges show $name once and in order, $limit at a time, descending: $descending',
  async (wanted) => {
    const { limit, descending } = wanted;
    const matches = filters[wanted.name as keyof typeof filters];
    const numbers = upTo(40);
    // Long runs on one shelf alone, and many numbers on several.
    await write(numbers, (number) =>
      number < 15 ? ['left'] : number % 5 === 0 ? shelves : [shelves[(number * 7) % 3] ?? 'left'],
    );
    const pages = await walk({ limit, descending, matches });
    const expected = numbers.filter((number) => matches?.({ number }) ?? true);
    expect(pages.flat()).toEqual(descending ? expected.toReversed() : expected);
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit);
  },
);

test('The pages of several ranges of a filter that nothing passes take few reads one after the other, however small the page', async () => {
  await write(upTo(1_500), () => ['left']);
  const { reader, asked } = counted();
  const options = { limit: 1, matches: () => false };
  expect(await readMergedPage(reader, [range('left')], options)).toEqual({ records: [], nextCursor: null });
  expect(asked()).toBeLessThanOrEqual(10);
});

test('The pages of several ranges of a filter that nothing passes end early in a long list, and go on', async () => {
  await write(upTo(2_050), () => ['left']);
  const first = await readMergedPage(table, [range('left')], {
    limit: 25,
    matches: ({ number }) => number < 2,
  });
  expect(first.records).toEqual([]);
  const cursor = first.nextCursor ?? '';
  const second = await readMergedPage(table, [range('left')], { limit: 25, cursor });
  expect(second.records[0]?.data.number).toBe(49);
});

test('The pages of several ranges of no range are one empty page', async () => {
  expect(await readMergedPage(table, [], { limit: 5 })).toEqual({ records: [], nextCursor: null });
});
