import { beforeEach, expect, test } from 'vitest';
import { readCounters } from '../../../functions/contacts/model/board-counters.ts';
import { KeptIndex } from '../../../functions/contacts/model/search/kept-index.ts';
import { loadLists } from '../../../functions/contacts/model/search/load-index.ts';
import { searchQuery } from '../../../functions/contacts/model/search/query.ts';
import { contactKey } from '../../../shared/contacts/contact.ts';
import type { Pipeline } from '../../../shared/pipelines/pipeline.ts';
import type { RawRow, TableReader } from '../../../shared/table/table.ts';
import { setUpProduct } from '../../harness/fixtures.ts';
import { expectStatus } from '../../harness/world.ts';
import { pipelinesClient } from '../../pipelines/client.ts';
import { type ContactsClient, contactsClient } from '../client.ts';
import { delayedTable } from './delayed-table.ts';

const product = await setUpProduct();

let table: TableReader;
let pipeline: Pipeline;
let contacts: ContactsClient;
beforeEach(async () => {
  const admin = await product.newOrganization();
  table = product.tableOf(admin.organizationId).table;
  contacts = contactsClient(product, admin);
  [pipeline] = (await pipelinesClient(product, admin).list('Contact')) as [Pipeline];
});

async function newIndex(): Promise<KeptIndex> {
  const loaded = await loadLists(table, pipeline);
  if (loaded === undefined) {
    throw new Error('The lists are too long');
  }
  const kept = new KeptIndex(pipeline, loaded);
  expect(await kept.follow(table)).toBe('current');
  return kept;
}

/** How many contacts with this text in their name the index has in the first stage. */
function countOf({ index }: KeptIndex, search: string): number {
  const query = searchQuery({ created: undefined, conditions: { search }, views: [['all']] }, []);
  return index.find(pipeline.stages[0]?._id ?? '', query, { first: 0, size: 10 }).total;
}

test('An index that got half of the changes, because one was not visible yet, is not taken for the state of counters read before', async () => {
  const first = await contacts.created({ firstName: 'Ada' });
  const second = await contacts.created({ firstName: 'Grace' });
  const key = contactKey(first._id);
  const former = { key, stored: await table.read(key) };
  const kept = await newIndex();
  const before = await readCounters(table, pipeline._id);
  for (const { _id } of [first, second]) {
    expectStatus(await contacts.update(_id, { lastName: 'Edited' }), 200);
  }
  await expect(kept.follow(delayedTable(table, former, 1).table, false)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });

  expect(await kept.follow(table, false, before)).toBe('current');

  expect(countOf(kept, 'edited')).toBe(2);
});

test('An index that is given counters comes to the state that they show, and never goes back to an earlier one', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada' });
  const kept = await newIndex();
  const before = await readCounters(table, pipeline._id);
  expectStatus(await contacts.update(_id, { lastName: 'Edited' }), 200);

  expect(await kept.follow(table, true, before)).toBe('current');
  expect(countOf(kept, 'edited')).toBe(0);

  expect(await kept.follow(table, true, await readCounters(table, pipeline._id))).toBe('current');
  expect(countOf(kept, 'edited')).toBe(1);
  expect(await kept.follow(table, true, before)).toBe('current');
  expect(countOf(kept, 'edited')).toBe(1);
  expect(kept.counters?.changes()).not.toEqual(before.changes());
});

type ListRange = Parameters<TableReader['rows']>[0];

/** The table with the lists of contacts as they are now, whatever is written afterwards. */
async function tableWithListsOfNow(): Promise<TableReader> {
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
  );
  return {
    ...table,
    async *rows(range: ListRange) {
      yield* former.get(JSON.stringify(range)) ?? [];
    },
  } as TableReader;
}

test('An index that was loaded from lists which did not show the latest edit yet has the edit', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada' });
  const delayed = await tableWithListsOfNow();
  expectStatus(await contacts.update(_id, { lastName: 'Edited' }), 200);

  const loaded = await loadLists(delayed, pipeline);
  const kept = loaded && new KeptIndex(pipeline, loaded);

  expect(await kept?.follow(table)).toBe('current');
  expect(kept && countOf(kept, 'edited')).toBe(1);
});

test('An index that was loaded while lists and records still showed a contact that the counters tell is deleted does not have it', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada' });
  await contacts.created({ firstName: 'Grace' });
  const delayed = await tableWithListsOfNow();
  const record = await table.read(contactKey(_id));
  expectStatus(await contacts.remove(_id), 200);
  const readMany = (async (keys) => {
    const records = await table.readMany(keys);
    return keys.map((key, index) => (key.partition.includes(_id) ? record : records[index]));
  }) as TableReader['readMany'];

  const loaded = await loadLists({ ...delayed, readMany }, pipeline);
  const kept = loaded && new KeptIndex(pipeline, loaded);

  expect(await kept?.follow(table)).toBe('current');
  expect(kept && countOf(kept, 'ada')).toBe(0);
  expect(kept && countOf(kept, 'grace')).toBe(1);
});
