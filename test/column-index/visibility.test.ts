import { expect, test } from 'vitest';
import { IndexCache, keyOfIndex } from '../../shared/column-index/cached-index.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import type { Key } from '../../shared/table/key.ts';
import { contactsClient } from '../contacts/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { delayedTable } from './delayed-table.ts';
import { indexedBoard, listedBoard } from './indexed-boards.ts';

const product = await setUpProduct();

/** An organization with a few contacts named Ada, and a process that has searched for them. */
async function searchedOrganization() {
  const admin = await product.newOrganization();
  const client = contactsClient(product, admin);
  const first = await client.created({ firstName: 'Ada', lastName: 'One' });
  await client.created({ firstName: 'Ada', lastName: 'Two' });
  const { table } = product.tableOf(admin.organizationId);
  const indexes = new IndexCache();
  const search = { search: 'ada' };
  await indexedBoard(table, admin, search, { indexes });
  const former = async (key: Key<unknown>) => ({ key, stored: await table.read(key) });
  return { admin, client, table, indexes, search, first, former };
}

const changes = {
  'an edit': { lastName: 'Changed' },
  'an edit that makes it match no more': { firstName: 'Grace' },
};

test.each(Object.entries(changes))(
  '%s is found although the record becomes visible after the counters',
  async (_, fields) => {
    const { admin, client, table, indexes, search, first, former } = await searchedOrganization();
    const before = await former(contactKey(first._id));
    await client.update(first._id, fields);
    const delayed = delayedTable(table, before, 3);
    const found = await indexedBoard(delayed.table, admin, search, { indexes });
    expect(delayed.isSettled()).toBe(true);
    expect(found).toEqual(await listedBoard(table, admin, search));
  },
);

test('A search is a 503 when the record of a changed contact never becomes visible', async () => {
  const { admin, client, table, indexes, search, first, former } = await searchedOrganization();
  const before = await former(contactKey(first._id));
  await client.update(first._id, { lastName: 'Changed' });
  const delayed = delayedTable(table, before, Number.POSITIVE_INFINITY);
  await expect(indexedBoard(delayed.table, admin, search, { indexes })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  expect(await indexedBoard(table, admin, search, { indexes })).toEqual(
    await listedBoard(table, admin, search),
  );
});

test('A contact that moves to another pipeline and back leaves the index and returns', async () => {
  const { admin, client, table, indexes, search, first } = await searchedOrganization();
  const body = { name: 'Other', type: 'Contact', stages: [{ name: 'Elsewhere' }], isActive: false };
  const { data } = (await product.call('create-pipeline', { token: admin.token, body })).body;
  for (const stageId of [data.stages[0]._id, first.stageId, data.stages[0]._id]) {
    expect(await client.move(first._id, { stageId })).toMatchObject({ status: 200 });
    for (const pipelineId of [data._id, first.pipelineId]) {
      const asked = { ...search, pipelineId };
      expect(await indexedBoard(table, admin, asked, { indexes })).toEqual(
        await listedBoard(table, admin, asked),
      );
    }
  }
});

test('A contact that is archived and restored leaves the index and returns', async () => {
  const { admin, client, table, indexes, search, first } = await searchedOrganization();
  for (const name of ['archive-contact', 'restore-contact', 'archive-contact']) {
    const path = { id: first._id };
    expect(await product.call(name, { token: admin.token, path })).toMatchObject({ status: 200 });
    expect(await client.update(first._id, { tags: [name] })).toMatchObject({ status: 200 });
    expect(await indexedBoard(table, admin, search, { indexes })).toEqual(
      await listedBoard(table, admin, search),
    );
  }
});

test('A search is right when memory holds one index: each new one takes the place of the one before', async () => {
  const indexes = new IndexCache(1);
  const organizations = [await searchedOrganization(), await searchedOrganization()];
  for (const { admin, client, table, search, first } of [...organizations, ...organizations]) {
    await client.created({ firstName: 'Ada' });
    expect(await indexedBoard(table, admin, search, { indexes })).toEqual(
      await listedBoard(table, admin, search),
    );
    const keys = organizations.map((one) => keyOfIndex(one.admin.organizationId, one.first.pipelineId));
    const own = keyOfIndex(admin.organizationId, first.pipelineId);
    // What is used now stays, however large.
    expect(keys.filter((key) => indexes.get(key, new Date()) !== undefined)).toEqual([own]);
  }
});
