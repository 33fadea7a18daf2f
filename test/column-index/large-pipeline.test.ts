import { describe, expect, test, vi } from 'vitest';
import { IndexCache } from '../../shared/column-index/cached-index.ts';
import { compactPart, usualLimits } from '../../shared/column-index/compaction.ts';
import { readManifest } from '../../shared/column-index/load-stored.ts';
import { keyOfPart, searchRange } from '../../shared/column-index/stored-index.ts';
import { attributesFor, boardCounterKey, counterShards } from '../../shared/contact-aggregate/counters.ts';
import { minute } from '../../shared/kernel/time.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { arrange } from '../harness/tenants.ts';
import { deliverCompactions, indexedBoard, listedBoard } from './indexed-boards.ts';
import { LargePipeline } from './large-pipeline.ts';

const product = await setUpProduct();
const large = await LargePipeline.of(product, 2_300);

/** To a process that has nothing cached, and to one that has cached these. */
async function expectExact(indexes?: IndexCache): Promise<void> {
  const { indexed, cached, listed } = await large.boards(undefined, indexes);
  expect(indexed).toEqual(listed);
  expect(cached).toEqual(indexes === undefined ? [] : listed);
}

/** Creates, edits, moves, archives and deletes through the operations: `count` of each. Every other archived one is restored. */
async function changeMany(count: number, name: string): Promise<void> {
  const { client, contacts } = large;
  for (let index = 0; index < count; index += 1) {
    await client.created({ firstName: `${name} ${index}`, source: 'Referral' });
    const [edited, moved, archived, deleted] = contacts.splice(
      Math.floor((index * contacts.length) / count) % 1_200,
      4,
    );
    expect(await client.update(edited?._id ?? '', { lastName: name })).toMatchObject({ status: 200 });
    expect(await client.move(moved?._id ?? '', { stageId: large.stage(index % 3) })).toMatchObject({
      status: 200,
    });
    const { token } = large.admin;
    const path = { id: archived?._id ?? '' };
    for (const name of index % 2 === 0 ? ['archive-contact'] : ['archive-contact', 'restore-contact']) {
      expect(await product.call(name, { token, path })).toMatchObject({ status: 200 });
    }
    expect(await client.remove(deleted?._id ?? '')).toMatchObject({ status: 200 });
  }
}

describe('The stored index', () => {
  test('A pipeline of thousands of contacts is indexed from its lists until the stream delivers a change, and then from stored blocks', async () => {
    expect(await readManifest(large.table, large.pipeline._id)).toBeUndefined();
    const { indexed, listed } = await large.boards([{ search: 'an' }, { source: 'Referral', size: 5 }]);
    expect(indexed).toEqual(listed);
    await large.client.created({ firstName: 'The first' });
    await large.told();
    expect((await readManifest(large.table, large.pipeline._id))?.data.contents?.blocks).not.toEqual([]);
    expect(await large.leftovers()).toEqual({ unnamed: [], missing: [] });
  });

  test('A pipeline of thousands of contacts is found as it is, whether its changes are still to be delivered, are in batches, are delivered twice or are in its blocks after a compaction', async () => {
    const indexes = new IndexCache();
    await expectExact(indexes);
    await changeMany(3, 'Untold');
    await expectExact(indexes);
    for (let round = 0; round < 4; round += 1) {
      await changeMany(4, `Told ${round}`);
      await large.told();
    }
    expect(await large.batches()).toBeGreaterThan(0);
    await expectExact(indexes);
    await changeMany(2, 'Twice');
    const changes = await large.changes();
    await large.tell(changes);
    await large.tell(changes);
    await deliverCompactions(product);
    await expectExact(indexes);
    await large.compact();
    expect(await large.batches()).toBe(0);
    expect(await large.leftovers()).toEqual({ unnamed: [], missing: [] });
    await expectExact(indexes);
  });

  test('A pipeline of thousands of contacts is compacted by itself when batches hold hundreds of contacts', async () => {
    const builtAt = async () => (await readManifest(large.table, large.pipeline._id))?.data.contents?.builtAt;
    const before = await builtAt();
    let changes = 0;
    while (changes < 500 && (await builtAt()) === before) {
      await changeMany(4, `Changed ${changes}`);
      await large.told();
      changes += 16;
    }
    expect(await builtAt()).toBeGreaterThan(before ?? 0);
    expect(changes).toBeGreaterThan(200);
    expect(await large.leftovers()).toEqual({ unnamed: [], missing: [] });
    await expectExact();
  });

  test('A pipeline of thousands of contacts is found as it is while it is compacted, and changed', async () => {
    const indexes = new IndexCache();
    for (let round = 0; round < 3; round += 1) {
      await changeMany(4, `Meanwhile ${round}`);
      await large.told();
      const [, ...found] = await Promise.all([
        large.compact(),
        indexedBoard(large.table, large.admin, { search: 'meanwhile' }),
        indexedBoard(large.table, large.admin, { search: 'meanwhile' }, { indexes }),
      ]);
      const expected = await listedBoard(large.table, large.admin, { search: 'meanwhile' });
      expect(found).toEqual([expected, expected]);
    }
  });

  test('A pipeline of thousands of contacts is found as it is when a stored block is missing', async () => {
    const manifest = await readManifest(large.table, large.pipeline._id);
    const [block] = manifest?.data.contents?.blocks ?? [];
    const part = { family: 'keys', stageId: block?.stageId ?? '', id: block?.parts.keys ?? '' } as const;
    const key = keyOfPart(large.pipeline._id, part);
    await large.table.commit([large.table.delete(key)]);
    await expectExact();
    await changeMany(1, 'Mended');
    await large.told();
    await large.compact(new Date(Date.now() + 60 * minute));
    expect((await large.leftovers()).missing).toEqual([]);
    await expectExact();
  });
});

test('A contact that was deleted, or moved to another pipeline, is taken out of the stored blocks of a quiet pipeline by the next run that looks for them', async () => {
  const { admin, client, table } = large;
  const body = { name: 'Other', type: 'Contact', stages: [{ name: 'Elsewhere' }], isActive: false };
  const { data: other } = await arrange(product.call('create-pipeline', { token: admin.token, body }));
  const [deleted, moved] = [
    await client.created({ firstName: 'Deleted' }),
    await client.created({ firstName: 'Moved' }),
  ];
  await large.told();
  await large.compact(new Date(Date.now() + 120 * minute));
  const stored = () => large.stored([deleted._id, moved._id]);
  expect(await stored()).toEqual([deleted._id, moved._id]);

  await client.remove(deleted._id);
  await client.move(moved._id, { stageId: other.stages[0]._id });
  await large.told();
  expect(await stored()).toEqual([deleted._id, moved._id]);
  await large.compactionRun();
  expect(await stored()).toEqual([]);
  expect(await large.batches()).toBe(0);
  expect(await large.leftovers()).toEqual({ unnamed: [], missing: [] });
  expect(await indexedBoard(table, admin, { search: 'deleted' })).toEqual(
    await listedBoard(table, admin, { search: 'deleted' }),
  );
});

test('A contact that is deleted while an earlier compaction is under way is taken out of the stored blocks by the run after that', async () => {
  const { client, table, pipeline, contacts } = large;
  const deleted = await client.created({ firstName: 'Deleted' });
  await large.told();
  await large.compact(new Date(Date.now() + 120 * minute));
  expect(await client.update(contacts[0]?._id ?? '', { lastName: 'Edited' })).toMatchObject({ status: 200 });
  await large.told();
  const { newId } = product.tableOf('-').moment;
  const limits = { ...usualLimits, rows: 1 };
  expect(await compactPart({ table, pipeline, now: new Date(), newId, limits }, 'compaction')).toEqual({});
  await client.remove(deleted._id);
  await large.told();
  await large.compactionRun();
  expect(await large.stored([deleted._id])).toEqual([deleted._id]);
  await large.compactionRun();
  expect(await large.stored([deleted._id])).toEqual([]);
});

const imported = await LargePipeline.of(product, 2_200);

test('A pipeline is found as it was or is while thousands are imported, and as it is afterwards', async () => {
  const { table, pipeline } = imported;
  const builtAt = async () => (await readManifest(table, pipeline._id))?.data.contents?.builtAt ?? 0;
  await imported.told();
  const first = await builtAt();
  expect(first).toBeGreaterThan(0);
  const indexes = new IndexCache();
  const search = { search: 'a', size: 100 };
  const found = (options?: { indexes: IndexCache }) =>
    indexedBoard(imported.table, imported.admin, search, options);
  const before = await found({ indexes });
  const importing = imported.import(1_000, 2);
  const during = await found({ indexes });
  await importing;
  const after = await listedBoard(imported.table, imported.admin, search);
  expect([before, after]).toContainEqual(during);
  expect(await found({ indexes })).toEqual(after);
  expect(await found()).toEqual(after);
  await imported.told(new Date(Date.now() + 120 * minute));
  expect(await builtAt()).toBeGreaterThan(first);
  expect(await found({ indexes })).toEqual(after);
  expect(await found()).toEqual(after);
});

test('What the queue of compactions did not take is sent again when the stream delivers the changes again', async () => {
  await imported.import(20, 3);
  const { compactions } = product.queues;
  vi.spyOn(compactions, 'send').mockRejectedValueOnce(new Error('The queue is busy'));
  const changes = await imported.changes();
  await expect(imported.tell(changes)).rejects.toThrow('could not take this batch');
  await imported.tell(changes);
  expect(compactions.waiting).toHaveLength(1);
});

test('A pipeline that is not large any more loses its stored index, with all that it says about contacts', async () => {
  expect(await stored(imported)).toBeGreaterThan(0);
  await setCounts(imported, 0);
  await imported.told();
  expect(await stored(imported)).toBe(0);
});

/** The number of items of a pipeline's stored index. */
async function stored({ table, pipeline }: LargePipeline): Promise<number> {
  return (await table.list(searchRange(pipeline._id))).length;
}

/** Makes every counter say that each stage has so many contacts, with a change that the stream delivers. */
async function setCounts({ table, pipeline }: LargePipeline, each: number): Promise<void> {
  const counts = pipeline.stages.map(({ _id }) => `${attributesFor(_id).count} = :each`).join(', ');
  for (let shard = 0; shard < counterShards; shard += 1) {
    await table.update(boardCounterKey(pipeline._id, ['all'], shard), {
      update: `SET ${counts} ADD changes :one`,
      values: { each, one: 1 },
    });
  }
}
