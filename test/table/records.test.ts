import { beforeEach, describe, expect, test } from 'vitest';
import { notFound } from '../../shared/kernel/failure.ts';
import { packed } from '../../shared/kernel/packing.ts';
import type { Key } from '../../shared/table/key.ts';
import { type TableWriter, VersionConflict } from '../../shared/table/table.ts';
import { setUpProduct } from '../harness/fixtures.ts';

const product = await setUpProduct();

let organizations = 0;
let table: TableWriter;
beforeEach(() => {
  organizations += 1;
  table = product.tableOf(`organization-${organizations}`).table;
});

const at = <Data = unknown>(id: string): Key<Data> => ({
  partition: ['THING'],
  sort: [id],
});

async function stored<Data>(key: Key<Data>) {
  const found = await table.read(key);
  if (found === undefined) {
    throw new Error('The record is not there');
  }
  return found;
}

const deep = (levels: number): unknown => (levels === 0 ? 'bottom' : { in: [deep(levels - 1)] });
const kinds: Record<string, unknown> = {
  'odd keys': JSON.parse(
    '{"constructor": {"prototype": 1}, "toString": null, "hasOwnProperty": [], "then": 1, "": 0, "a.b": 1, "$": 2, "#x": 3, ":y": 4}',
  ),
  'deep nesting': deep(200),
  'numbers at the limits': [0, -1, 1e308, 5e-324, Number.MAX_SAFE_INTEGER, 0.1, 1e21],
  'empty values': { text: '', list: [], map: {}, nothing: null, lists: [[], [[]]] },
  'text of every kind': ['\u0000', 'é', '👩‍👩‍👧', '\u2028', '"\\', 'ﬀ'],
};

const manyFields = Object.fromEntries(
  Array.from({ length: 300 }, (_, index) => [`field ${index}`, `value ${index}`]),
);

test.each(Object.entries(kinds))(
  'A record comes back as it was written with %s, small or large and therefore gzipped',
  async (_, value) => {
    for (const data of [{ value }, { value, manyFields }]) {
      await table.commit([table.put(at('one'), data)]);
      expect((await stored(at('one'))).data).toEqual(data);
      const [viaMany] = await table.readMany([at('one')]);
      expect(viaMany?.data).toEqual(data);
      const page = await table.page({ partition: ['THING'] }, { limit: 1 });
      expect(page.records[0]?.data).toEqual(data);
    }
    expect(packed({ value, manyFields })).toBeInstanceOf(Uint8Array);
  },
);

test('A write adds no record where one lies, and shows who adds what lies there', async () => {
  await table.commit([table.add(at('one'), { text: 'first' })]);
  await expect(table.commit([table.add(at('one'), { text: 'second' })])).rejects.toThrow(VersionConflict);

  const seen: unknown[] = [];
  const otherwise = (existing: unknown) => {
    seen.push(existing);
    return notFound('Place');
  };
  const add = () => table.add(at('one'), { text: 'third' }, { otherwise });
  await expect(table.commit([add()])).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(table.commit([add(), table.put(at('beside'), {})])).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(seen).toEqual([{ text: 'first' }, { text: 'first' }]);
  expect(await stored(at('one'))).toMatchObject({ data: { text: 'first' }, version: 1 });
});

test('A write replaces and removes the version that was read, and no other', async () => {
  await table.commit([table.add(at('one'), { text: 'first' })]);
  const old = await stored(at('one'));
  await table.commit([table.replace(old, { text: 'second' })]);
  const current = await stored(at('one'));
  expect(current).toMatchObject({ data: { text: 'second' }, version: 2 });

  await expect(table.commit([table.replace(old, { text: 'late' })])).rejects.toThrow(VersionConflict);
  await expect(table.commit([table.delete(old.key, { ifVersion: old.version })])).rejects.toThrow(
    VersionConflict,
  );
  await expect(
    table.commit([table.delete(old.key, { ifVersion: old.version, otherwise: () => notFound('Thing') })]),
  ).rejects.toMatchObject({ status: 404 });
  expect(await stored(at('one'))).toEqual(current);

  await table.commit([table.delete(current.key, { ifVersion: current.version })]);
  expect(await table.read(at('one'))).toBeUndefined();
  await expect(table.commit([table.replace(current, { text: 'risen' })])).rejects.toThrow(VersionConflict);
  expect(await table.read(at('one'))).toBeUndefined();
});

test('A write lets one of many simultaneous replacements of a version win', async () => {
  await table.commit([table.add(at('one'), { text: 'first' })]);
  const old = await stored(at('one'));
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) => table.commit([table.replace(old, { text: `by ${index}` })])),
  );
  const winners = [...outcomes.keys()].filter((index) => outcomes[index]?.status === 'fulfilled');
  expect(winners).toHaveLength(1);
  expect(await stored(at('one'))).toMatchObject({ data: { text: `by ${winners[0]}` }, version: 2 });
  for (const outcome of outcomes.filter(({ status }) => status === 'rejected')) {
    expect(outcome).toMatchObject({ reason: expect.any(VersionConflict) });
  }
});

describe('Transactions', () => {
  beforeEach(() =>
    table.commit([table.add(at('old'), { text: 'old' }), table.add(at('gone'), { text: 'gone' })]),
  );

  const everything = async () =>
    (await table.list({ partition: ['THING'] })).map(({ key, data, version }) => [
      key.sort[0],
      data,
      version,
    ]);

  test('A transaction does all of its actions', async () => {
    await table.commit([
      table.add(at('new'), { text: 'new' }),
      table.replace(await stored(at('old')), { text: 'changed' }),
      table.delete(at('gone'), { ifVersion: 1 }),
      table.require(at('absent'), { when: 'attribute_not_exists(pk)' }),
    ]);
    expect(await everything()).toEqual([
      ['new', { text: 'new' }, 1],
      ['old', { text: 'changed' }, 2],
    ]);
  });

  test.each([
    ['first', 0],
    ['last', 3],
  ])('A transaction does none of its actions when its %s action fails, and says why', async (_, place) => {
    const before = await everything();
    const actions = [
      table.add(at('new'), { text: 'new' }),
      table.replace(await stored(at('old')), { text: 'changed' }),
      table.delete(at('gone'), { ifVersion: 1 }),
    ].toSpliced(
      place,
      0,
      table.require(at('absent'), { when: 'attribute_exists(pk)', otherwise: () => notFound('Department') }),
    );
    await expect(table.commit(actions)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'Department not found',
    });
    expect(await everything()).toEqual(before);
  });

  test('A transaction may require the version of a record that it does not write', async () => {
    const old = await stored(at('old'));
    const copied = (text: string) => [
      table.require(old.key, { ifVersion: old.version }),
      table.put(at('copy'), { text }),
    ];
    await table.commit(copied('first'));
    await table.commit([table.replace(old, { text: 'changed' })]);
    await expect(table.commit(copied('second'))).rejects.toBeInstanceOf(VersionConflict);
    expect((await stored(at('copy'))).data).toEqual({ text: 'first' });
  });
});
