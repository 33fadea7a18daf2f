import { expect, test } from 'vitest';
import { cachedReads } from '../../functions/workflows/model/simulation/cached-reads.ts';
import { holds, updatedAttributes } from '../../functions/workflows/model/simulation/expressions.ts';
import { overlayTable } from '../../functions/workflows/model/simulation/overlay-table.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { unpacked } from '../../shared/kernel/packing.ts';
import type { Key, Range } from '../../shared/table/key.ts';
import {
  type Action,
  type Change,
  type QueryOptions,
  type Stored,
  type TableReader,
  type TableWriter,
  transactionLimit,
  VersionConflict,
} from '../../shared/table/table.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { type Randomness, randomness } from '../harness/randomness.ts';

const product = await setUpProduct();

interface Thing {
  readonly text: string;
}

const partitions = [['THINGS'], ['THINGS', 'more']];
const sorts = ['A', 'B', 'B#1', 'B#2', 'B#2#3', 'C', 'C#é', 'C#👩', 'C#ﬀ'].map((text) => text.split('#'));
const keys: Key<Thing>[] = partitions.flatMap((partition) => sorts.map((sort) => ({ partition, sort })));

const ranges: Range<Thing>[] = partitions.flatMap((partition) => [
  { partition },
  { partition, under: ['B'] },
  { partition, under: ['C'] },
  { partition, between: { to: 'B#2' } },
  { partition, between: { from: 'B#1', to: 'C' } },
]);

/** What a reader sees of a record: not the id of the write, which only the real table has, nor how the data is packed. */
function shown(stored: Stored<unknown> | undefined) {
  const { pk: _, sk: __, data: ___, writeId: ____, ...attributes } = stored?.attributes ?? {};
  return stored && { key: stored.key, data: stored.data, version: stored.version, attributes };
}

const orders = [false, true].flatMap((descending) =>
  [undefined, 1, 3].map((limit) => ({ descending, ...(limit !== undefined && { limit }) })),
);

function everyRead(table: TableReader): Promise<unknown[]> {
  return Promise.all([
    ...keys.map(async (key) => shown(await table.read(key))),
    table.readMany([...keys, ...keys.slice(0, 2)]).then((found) => found.map(shown)),
    ...ranges.flatMap((range) => [
      ...orders.map(async (options) => (await table.list(range, options)).map(shown)),
      ...orders.map((options) => rowsOf(table, range, options)),
      pagesOf(table, range, false),
      pagesOf(table, range, true),
    ]),
  ]);
}

async function rowsOf(table: TableReader, range: Range<Thing>, options: QueryOptions) {
  const rows: unknown[] = [];
  for await (const batch of table.rows(range, { consistent: true, ...options })) {
    rows.push(...batch.map(({ sk, data }) => [sk, data === undefined ? undefined : unpacked(data)]));
  }
  return rows;
}

async function pagesOf(table: TableReader, range: Range<Thing>, descending: boolean) {
  const pages: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await table.page(range, {
      ...{ limit: 2, cursor, descending, consistent: true },
      isShown: ({ key }) => key.sort.length > 1,
    });
    pages.push({ records: page.records.map(shown), nextCursor: page.nextCursor });
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

/** A change of the table: the same on any table in the same state. Resolves with what the caller learns. */
type Doing = (table: TableWriter) => Promise<unknown>;

const otherwise = (existing?: unknown) => {
  const { pk: _, writeId: __, data: ___, ...shownOf } = (existing ?? {}) as Record<string, unknown>;
  return new Failure('CONFLICT', `Found ${JSON.stringify(shownOf, Object.keys(shownOf).sort())}`);
};

function anyChange(random: Randomness): Change {
  const n = random.below(5);
  return random.pick<Change>([
    { update: 'ADD version :one', when: 'attribute_exists(pk)', values: { one: 1 }, otherwise },
    { update: 'SET n = :n ADD counted :one', values: { n, one: 1 } },
    {
      update: 'ADD counted :one',
      when: 'attribute_not_exists(counted) OR counted < :most',
      values: { one: 1, most: 2 },
      otherwise,
    },
    { update: 'SET a = if_not_exists(n, :n), n = :n', values: { n } },
    { update: 'SET n = n + :one', when: 'attribute_exists(n) AND n <> :n', values: { one: 1, n } },
    { update: 'REMOVE n, a', when: 'version = :version AND NOT (n > :n)', values: { version: 1, n } },
  ]);
}

type NewAction = (table: TableWriter, stored: Stored<Thing> | undefined) => Action;

function anyAction(random: Randomness, key: Key<Thing>): NewAction {
  const text = { text: `${random.pick(['', 'short', 'long '.repeat(300)])}${random.below(1_000)}` };
  const options = random.chance(0.3) ? { expiresAt: new Date('2030-01-01T00:00:00Z') } : {};
  const refusal = random.chance(0.5) ? { otherwise } : {};
  const stale = random.chance(0.1) ? 1 : 0;
  const change = anyChange(random);
  return random.pick<NewAction>([
    (table) => table.add(key, text, { ...options, ...refusal }),
    (table) => table.put(key, text, options),
    (table) => table.delete(key),
    (table, stored) =>
      stored === undefined
        ? table.put(key, text, options)
        : table.replace({ ...stored, version: stored.version - stale }, text, options),
    (table, stored) => table.delete(key, { ifVersion: (stored?.version ?? 1) - stale, ...refusal }),
    (table) => table.delete(key, { when: 'attribute_exists(n)', ...refusal }),
    (table) => table.updateAction(key, change),
    (table) => table.require(key, { when: 'attribute_exists(pk)', ...refusal }),
    (table, stored) => table.require(key, { ifVersion: (stored?.version ?? 1) - stale }),
  ]);
}

function anyDoing(random: Randomness): Doing {
  const count = 1 + random.below(3);
  const touched = [...new Set(Array.from({ length: count }, () => random.pick(keys)))];
  const [first] = touched as [Key<Thing>];
  const actions = touched.map((key) => anyAction(random, key));
  const change = anyChange(random);
  const commit: Doing = async (table) => {
    const stored = await table.readMany(touched);
    return table.commit(actions.map((action, index) => action(table, stored[index])));
  };
  return random.pick<Doing>([
    commit,
    commit,
    commit,
    (table) => table.deleteMany([first]),
    async (table) => {
      const { writeId: _, pk: __, sk: ___, data: ____, ...attributes } = await table.update(first, change);
      return attributes;
    },
  ]);
}

/** What comes of it: a result, or an error with its words. */
async function outcomeOf(doing: Promise<unknown>): Promise<unknown> {
  try {
    return { result: await doing };
  } catch (error) {
    return { name: (error as Error).name, message: (error as Error).message };
  }
}

async function filled(organizationId: string, random: Randomness): Promise<TableWriter> {
  const { table } = product.tableOf(organizationId);
  for (const key of keys.filter(() => random.chance(0.5))) {
    await table.commit([
      random.chance(0.7) ? table.add(key, { text: 'old' }) : table.put(key, { text: 'put' }),
    ]);
  }
  return table;
}

test.each([1, 2])(
  'What is written over a table is read as from the table, and never reaches it (seed %i)',
  async (seed) => {
    const [real, below] = await Promise.all([
      filled(`real-${seed}`, randomness(seed)),
      filled(`below-${seed}`, randomness(seed)),
    ]);
    const untouched = await everyRead(below);
    const overlay = overlayTable<'organization'>(seed === 1 ? below : cachedReads(below));
    expect(await everyRead(overlay)).toEqual(untouched);
    const random = randomness(1000 + seed);
    let refusals = 0;
    for (let round = 0; round < 60; round += 1) {
      const doing = anyDoing(random);
      const expected = await outcomeOf(doing(real));
      expect(await outcomeOf(doing(overlay))).toEqual(expected);
      refusals += 'name' in (expected as object) ? 1 : 0;
      if (round % 15 === 14) {
        expect(await everyRead(overlay)).toEqual(await everyRead(real));
      }
    }
    expect(refusals).toBeGreaterThan(5);
    expect(await everyRead(below)).toEqual(untouched);
  },
);

test('A record is read once, and anew when what was read does not fit together', async () => {
  const { table } = product.tableOf('cached');
  const [one, other] = keys as [Key<Thing>, Key<Thing>];
  await table.commit([table.put(one, { text: 'first' }), table.put(other, { text: 'first' })]);
  const reader = cachedReads(table);
  const textOf = async (key: Key<Thing>) => (await reader.read(key))?.data.text;
  expect((await reader.readMany([one, other])).map((stored) => stored?.data.text)).toEqual([
    'first',
    'first',
  ]);
  const listed = await reader.list({ partition: one.partition });
  await table.commit([table.put(one, { text: 'second' }), table.delete(other)]);
  expect([await textOf(one), await textOf(other)]).toEqual(['first', 'first']);
  expect(await reader.list({ partition: one.partition })).toEqual(listed);
  let tries = 0;
  await reader.optimistically(async () => {
    tries += 1;
    if (tries === 1) {
      throw new VersionConflict();
    }
  });
  expect([await textOf(one), await textOf(other)]).toEqual(['second', undefined]);
  expect(await reader.list({ partition: one.partition })).toHaveLength(1);
});

test('A transaction over two tables happens in both or in neither', async () => {
  const [one, other] = ['one', 'other'].map((id) => overlayTable(product.tableOf(id).table)) as [
    TableWriter,
    TableWriter,
  ];
  const [key, taken] = keys as [Key<Thing>, Key<Thing>];
  await other.commit([other.add(taken, { text: 'taken' })]);
  const both = [one.add(key, { text: 'new' }), other.add(taken, { text: 'again' })];
  await expect(one.commit(both)).rejects.toBeInstanceOf(VersionConflict);
  expect(await one.read(key)).toBeUndefined();
  await one.commit([one.add(key, { text: 'new' }), other.delete(taken)]);
  expect([(await one.read(key))?.data, await other.read(taken)]).toEqual([{ text: 'new' }, undefined]);
});

test('A transaction that the table would refuse as a whole is refused over it, too', async () => {
  const overlay = overlayTable(product.tableOf('strict').table);
  const [key] = keys as [Key<Thing>];
  await expect(overlay.commit([overlay.delete(key), overlay.put(key, { text: '' })])).rejects.toThrow(
    'same key',
  );
  const many = Array.from({ length: transactionLimit + 1 }, (_, index) =>
    overlay.put({ partition: ['MANY'], sort: [String(index)] }, index),
  );
  await expect(overlay.commit(many)).rejects.toThrow(`at most ${transactionLimit}`);
});

test('What a reader does with a record does not change what is held', async () => {
  const overlay = overlayTable(product.tableOf('copies').table);
  const [key] = keys as [Key<Thing>];
  const given = { text: 'held' };
  await overlay.commit([overlay.add(key, given)]);
  given.text = 'changed';
  const read = await overlay.read(key);
  Object.assign(read?.data ?? {}, { text: 'changed' });
  expect((await overlay.read(key))?.data).toEqual({ text: 'held' });
});

test.each(['size(n) > :n', 'n BETWEEN :a AND :b', 'n = :n n', '(n = :n'])(
  'A condition that cannot be simulated is refused and not taken for true: %s',
  (condition) => {
    expect(() => holds(condition, { n: 1 }, { n: 1, a: 0, b: 2 })).toThrow('A simulation cannot evaluate');
  },
);

test.each(['DELETE n :n', 'SET n : n', 'n = :n'])(
  'An update that cannot be simulated is refused: %s',
  (update) => {
    expect(() => updatedAttributes(update, { n: 1 }, { n: 1 })).toThrow('A simulation cannot evaluate');
  },
);
