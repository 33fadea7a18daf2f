import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { searchQuery } from '../../shared/board/search-page.ts';
import { CachedIndex, IndexCache } from '../../shared/column-index/cached-index.ts';
import { loadLists } from '../../shared/column-index/load-lists.ts';
import { rememberedChanges, shardFor } from '../../shared/contact-aggregate/counters.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import type { Pipeline } from '../../shared/contacts/pipeline.ts';
import { after, minute, second } from '../../shared/kernel/time.ts';
import type { RawRow, TableReader, TableWriter } from '../../shared/table/table.ts';
import { type ContactsClient, contactsClient, touch } from '../contacts/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { indexedBoard } from './indexed-boards.ts';

const product = await setUpProduct();

const clock = { now: new Date(), newId: () => `compaction-${randomUUID()}` };

let table: TableWriter;
let pipeline: Pipeline;
let contacts: ContactsClient;
let admin: Person;
beforeEach(async () => {
  admin = await product.newOrganization();
  table = product.tableOf(admin.organizationId).table;
  contacts = contactsClient(product, admin);
  [pipeline] = (await pipelinesClient(product, admin).list('Contact')) as [Pipeline];
});

async function newIndex(): Promise<CachedIndex> {
  const loaded = await loadLists(table, pipeline, clock.now);
  if (loaded === undefined) {
    throw new Error('The lists are too long');
  }
  const cached = new CachedIndex(pipeline, loaded);
  expect(await cached.follow(table)).toBe('current');
  return cached;
}

/** How many contacts with this text in their name the index has in the first stage. */
function countOf({ state: { index } }: CachedIndex, search: string): number {
  const query = searchQuery({ created: undefined, conditions: { search }, views: [['all']] }, []);
  return index.find(pipeline.stages[0]?._id ?? '', query, { first: 0, size: 10 }).total;
}

type ListRange = Parameters<TableReader['rows']>[0];

/** The table with the lists of contacts as they are now, whatever is written afterwards. */
async function tableWithListsOfNow(): Promise<TableWriter> {
  const former = new Map<string, RawRow[][]>();
  await loadLists(
    {
      ...table,
      async *rows(range: ListRange, options = {}) {
        const batches: RawRow[][] = [];
        former.set(JSON.stringify(range), batches);
        for await (const rows of table.rows(range, options)) {
          batches.push([...rows]);
          yield rows;
        }
      },
    } as TableReader,
    pipeline,
    clock.now,
  );
  return {
    ...table,
    async *rows(range: ListRange) {
      yield* former.get(JSON.stringify(range)) ?? [];
    },
  } as TableWriter;
}

test('An index that was loaded from lists which did not show the latest edit yet has the edit', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada' });
  const delayed = await tableWithListsOfNow();
  expectStatus(await contacts.update(_id, { lastName: 'Edited' }), 200);

  const loaded = await loadLists(delayed, pipeline, clock.now);
  const cached = loaded && new CachedIndex(pipeline, loaded);

  expect(await cached?.follow(table)).toBe('current');
  expect(cached && countOf(cached, 'edited')).toBe(1);
});

test('An index that was loaded while lists and records still showed a contact that is deleted according to the counters does not have it', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada' });
  await contacts.created({ firstName: 'Grace' });
  const delayed = await tableWithListsOfNow();
  const record = await table.read(contactKey(_id));
  expectStatus(await contacts.remove(_id), 200);
  const readMany = (async (keys) => {
    const records = await table.readMany(keys);
    return keys.map((key, index) => (key.partition.includes(_id) ? record : records[index]));
  }) as TableReader['readMany'];

  const loaded = await loadLists({ ...delayed, readMany }, pipeline, clock.now);
  const cached = loaded && new CachedIndex(pipeline, loaded);

  expect(await cached?.follow(table)).toBe('current');
  expect(cached && countOf(cached, 'ada')).toBe(0);
  expect(cached && countOf(cached, 'grace')).toBe(1);
});

/** Another contact whose changes the same shard counts, of a minute ago. */
async function newNeighbour(_id: string) {
  const minuteAgo = after(new Date(), -minute);
  let other = await contacts.created({ firstName: 'Grace' }, minuteAgo);
  while (shardFor(other._id) !== shardFor(_id)) {
    other = await contacts.created({ firstName: 'Grace' }, minuteAgo);
  }
  return other;
}

const forgettingChanges: [string, (id: string, change: number) => Promise<unknown>][] = [
  ['edits', async (id, edit) => expectStatus(await contacts.update(id, { lastName: `${edit} times` }), 200)],
  [
    'changes that show in no time of their contact',
    (id, change) => touch(product, admin.organizationId, id, { conversationAssignees: [`user-${change}`] }),
  ],
];

test.each(forgettingChanges)(
  'An index that was loaded while a shard had more %s than it remembers, and did not show an earlier edit yet, is loaded again a second later',
  async (_, change) => {
    const { _id } = await contacts.created({ firstName: 'Ada' });
    const other = await newNeighbour(_id);
    const delayed = await tableWithListsOfNow();
    expectStatus(await contacts.update(_id, { lastName: 'Edited' }), 200);
    for (let number = 1; number <= rememberedChanges; number += 1) {
      await change(other._id, number);
    }
    const indexes = new IndexCache();
    const now = new Date();
    const totals = async (one: TableReader, at: Date) => {
      const found = await indexedBoard(one, admin, { search: 'edited' }, { indexes, now: at });
      return Object.values(found ?? {}).map(({ total }) => total);
    };

    expect(await totals(delayed, now)).not.toContain(1);

    expect(await totals(table, after(now, second))).toContain(1);
  },
);

test('An index follows a contact that was moved to another pipeline and deleted there', async () => {
  const other = await pipelinesClient(product, admin).created({
    name: 'Other',
    stages: ['Elsewhere'],
    isActive: false,
  });
  const gone = await contacts.created({ firstName: 'Gone' });
  const index = await newIndex();
  expect(countOf(index, 'gone')).toBe(1);
  expectStatus(await contacts.move(gone._id, { stageId: other.stages[0]?._id ?? '' }), 200);
  expectStatus(await contacts.remove(gone._id), 200);
  expect(await index.follow(table)).toBe('current');
  expect(countOf(index, 'gone')).toBe(0);
});

test('An index that was loaded a second time lasts, unless a shard has had more changes than it remembers since the first time', async () => {
  const other = await contacts.created({ firstName: 'Grace' });
  for (let number = 1; number <= rememberedChanges; number += 1) {
    expectStatus(await contacts.update(other._id, { lastName: `${number} times` }), 200);
  }
  const first = await loadLists(table, pipeline, clock.now);
  expect(first?.validUntil).toBe(clock.now.getTime() + second);
  for (let number = 1; number <= rememberedChanges; number += 1) {
    expect((await loadLists(table, pipeline, clock.now, first?.changes))?.validUntil).toBeUndefined();
    expectStatus(await contacts.update(other._id, { lastName: `${number} times more` }), 200);
  }
  expect((await loadLists(table, pipeline, clock.now, first?.changes))?.validUntil).toBeUndefined();
  expectStatus(await contacts.update(other._id, { lastName: 'again' }), 200);
  expect((await loadLists(table, pipeline, clock.now, first?.changes))?.validUntil).toBeDefined();
});

test('An index weighs what its contacts hold: long custom fields, too', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada' });
  const cached = await newIndex();
  const { bytes } = cached;
  expectStatus(await contacts.update(_id, { customFields: { long: 'x'.repeat(15_000) } }), 200);

  expect(await cached.follow(table)).toBe('current');

  expect(cached.bytes - bytes).toBeGreaterThan(30_000);
});
