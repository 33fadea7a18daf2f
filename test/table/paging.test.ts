import { beforeEach, expect, test } from 'vitest';
import { Failure } from '../../shared/kernel/failure.ts';
import { toCursor } from '../../shared/table/cursor.ts';
import type { Key, Range } from '../../shared/table/key.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import { setUpProduct } from '../harness/fixtures.ts';

const product = await setUpProduct();

let organizations = 0;
const newTable = () => {
  organizations += 1;
  return product.tableOf(`organization-${organizations}`).table;
};

let table: TableWriter;
beforeEach(() => {
  table = newTable();
});

interface Entry {
  readonly text: string;
}

const list = (partition: string, under: string): Range<Entry> => ({ partition: [partition], under: [under] });
const entry = (partition: string, under: string, id: string): Key<Entry> => ({
  partition: [partition],
  sort: [under, id],
});

const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

/** Seven entries of a list, and neighbours on both sides of it and in another partition. */
async function writeLists(to = table): Promise<void> {
  const lists = [
    ['here', 'ALPHA'],
    ['here', 'LIST'],
    ['here', 'ZULU'],
    ['there', 'LIST'],
  ] as const;
  await to.commit(
    lists.flatMap(([partition, under]) =>
      letters.map((letter) =>
        to.add(entry(partition, under, letter), { text: `${partition} ${under} ${letter}` }),
      ),
    ),
  );
}

const texts = (records: readonly { data: Entry }[]) => records.map(({ data }) => data.text);
const ofHere = letters.map((letter) => `here LIST ${letter}`);

/** The pages of a walk from the first to the last. */
async function walk(range: Range<Entry>, limit: number, descending: boolean): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const { records, nextCursor } = await table.page(range, {
      limit,
      descending,
      ...(cursor === undefined ? {} : { cursor }),
    });
    pages.push(texts(records));
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined && pages.length <= letters.length);
  return pages;
}

for (const [which, descending] of [
  ['first to last', false],
  ['last to first', true],
] as const) {
  const wanted = descending ? ofHere.toReversed() : ofHere;

  test.each([1, 2, 3, 6, 7, 8])(
    `The pages of a list from ${which} of %i show every record once, in order, and end with it`,
    async (limit) => {
      await writeLists();
      const pages = await walk(list('here', 'LIST'), limit, descending);
      expect(pages.flat()).toEqual(wanted);
      expect(pages.map(({ length }) => length)).toEqual(
        Array.from({ length: Math.ceil(7 / limit) }, (_, page) => Math.min(limit, 7 - page * limit)),
      );
    },
  );

  test(`The pages of a list from ${which} of a run between two sort keys stay inside it, both ends included`, async () => {
    await writeLists();
    const run: Range<Entry> = { partition: ['here'], between: { from: 'LIST#b', to: 'LIST#f' } };
    expect(await walk(run, 2, descending)).toEqual(
      descending
        ? [['f', 'e'], ['d', 'c'], ['b']].map((page) => page.map((letter) => `here LIST ${letter}`))
        : [['b', 'c'], ['d', 'e'], ['f']].map((page) => page.map((letter) => `here LIST ${letter}`)),
    );
  });
}

test('The pages of a list show each record once when the one before the next page was deleted meanwhile', async () => {
  await writeLists();
  const first = await table.page(list('here', 'LIST'), { limit: 3 });
  await table.commit([table.delete(entry('here', 'LIST', 'c'))]);
  const rest = await table.page(list('here', 'LIST'), { limit: 10, cursor: first.nextCursor ?? '' });
  expect(texts([...first.records, ...rest.records])).toEqual(ofHere);
});

test('The pages of a list of an empty list are one empty page', async () => {
  expect(await table.page(list('here', 'LIST'), { limit: 5 })).toEqual({ records: [], nextCursor: null });
});

test('The pages of a list hold records of more than the 1 MB that the database returns at once', async () => {
  const text = Array.from({ length: 200_000 }, () => Math.random().toString(36)[2]).join('');
  await Promise.all(
    letters.map((letter) =>
      table.commit([table.add(entry('big', 'LIST', letter), { text: letter + text + text })]),
    ),
  );
  const { records, nextCursor } = await table.page(list('big', 'LIST'), { limit: 7 });
  expect(texts(records)).toEqual(letters.map((letter) => letter + text + text));
  expect(nextCursor).toBeNull();
});

const invalid = { code: 'INVALID', status: 400, message: expect.stringContaining('cursor') };
const refusal = (range: Range<Entry>, cursor: string) =>
  table.page(range, { limit: 10, cursor }).then(
    (page) => page,
    (error: unknown) => error,
  );

async function goodCursor(range: Range<Entry>): Promise<string> {
  const { nextCursor } = await table.page(range, { limit: 2 });
  expect(nextCursor).not.toBeNull();
  return nextCursor ?? '';
}

test.each(['ALPHA', 'ZULU'])('A cursor of the list %s beside it is refused', async (other) => {
  await writeLists();
  const cursor = await goodCursor(list('here', other));
  const refused = await refusal(list('here', 'LIST'), cursor);
  expect(refused).toBeInstanceOf(Failure);
  expect(refused).toMatchObject(invalid);
});

test('A cursor from outside a run between two sort keys is refused', async () => {
  await writeLists();
  const run: Range<Entry> = { partition: ['here'], between: { from: 'LIST#c', to: 'LIST#f' } };
  for (const sort of ['LIST#b', 'LIST#g', 'ALPHA#a']) {
    expect(await refusal(run, toCursor(sort))).toMatchObject(invalid);
  }
});

test('A cursor from outside a run from the start of its partition is refused, and an empty one too', async () => {
  await writeLists();
  const run: Range<Entry> = { partition: ['here'], between: { to: 'LIST#c' } };
  for (const sort of ['LIST#d', '']) {
    expect(await refusal(run, toCursor(sort))).toMatchObject(invalid);
  }
});

test.each([
  ['nothing', ''],
  ['text that is not base64url', 'no cursor!'],
  ['base64 of another alphabet', Buffer.from('LIST#a??>').toString('base64')],
  ['padding', `${toCursor('LIST#ab')}=`],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x80]).toString('base64url')],
  ['JSON', Buffer.from('{"pk":"ORG#x","sk":"LIST#a"}').toString('base64url')],
  ['a name that only begins like the list', toCursor('LISTING#a')],
  ['the list without an entry', toCursor('LIST')],
  ['a line break behind it', `${toCursor('LIST#a')}\n`],
])('A cursor of %s is refused', async (_, cursor) => {
  await writeLists();
  expect(await refusal(list('here', 'LIST'), cursor)).toMatchObject(invalid);
});

test('A cursor that is longer than any sort key is refused', async () => {
  await writeLists();
  expect(await refusal(list('here', 'LIST'), toCursor(`LIST#${'x'.repeat(2_000)}`))).toMatchObject(invalid);
});

test('A cursor with any one character changed is refused or stays inside its list', async () => {
  await writeLists();
  const good = await goodCursor(list('here', 'LIST'));
  for (const index of good.split('').keys()) {
    for (const other of ['A', '_', '~']) {
      const answer = await refusal(
        list('here', 'LIST'),
        good.slice(0, index) + other + good.slice(index + 1),
      );
      if (answer instanceof Error) {
        expect(answer).toMatchObject(invalid);
      } else {
        const { records } = answer as { records: { data: Entry }[] };
        expect(ofHere).toEqual(expect.arrayContaining(texts(records)));
      }
    }
  }
});

test('A cursor of another partition, or of another organization, leads nowhere but on in this list', async () => {
  await writeLists();
  const cursor = await goodCursor(list('there', 'LIST'));
  const other = newTable();
  const { records } = await table.page(list('here', 'LIST'), { limit: 10, cursor });
  expect(texts(records)).toEqual(ofHere.slice(2));
  expect((await other.page(list('there', 'LIST'), { limit: 10, cursor })).records).toEqual([]);
});
