import { describe, expect, test } from 'vitest';
import { storedParts } from '../../shared/column-index/block-writer.ts';
import { type Begin, compactPart, type Outcome, usualLimits } from '../../shared/column-index/compaction.ts';
import { loadStored, readManifest } from '../../shared/column-index/load-stored.ts';
import { type Family, families } from '../../shared/column-index/packed-block.ts';
import {
  changeBatchRange,
  keyOfPart,
  type Manifest,
  type StoredBlock,
  searchRange,
} from '../../shared/column-index/stored-index.ts';
import { packed } from '../../shared/kernel/packing.ts';
import { after, minute, second } from '../../shared/kernel/time.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { randomness } from '../harness/randomness.ts';
import { expectStatus } from '../harness/tenants.ts';
import { SmallPipeline, tiny } from './small-pipeline.ts';

const product = await setUpProduct();

/** The table of a process, with something that happens before each call of these methods. */
function watched(
  table: TableWriter,
  methods: readonly (keyof TableWriter)[],
  watch: () => void,
): TableWriter {
  return new Proxy(table, {
    get(_, name: keyof TableWriter) {
      if (methods.includes(name)) {
        watch();
      }
      return table[name];
    },
  });
}

describe('An index that is made in parts', () => {
  test.each([1, 2, 3, 4])(
    'It is right whatever changes, ends or comes twice between its parts (seed %i)',
    async (seed) => {
      const random = randomness(seed);
      const small = await SmallPipeline.of(product, 14);
      let next: Begin | undefined = 'compaction';
      for (let step = 0; step < 90; step += 1) {
        const kind = random.next();
        small.now = after(small.now, random.chance(0.3) ? 2 * minute : second);
        if (kind < 0.3) {
          await small.change(random);
          await small.tell();
        } else if (kind < 0.7) {
          const outcome: Outcome = await small.part(next);
          next = typeof outcome === 'object' ? outcome.begin : 'compaction';
        } else if (kind < 0.85) {
          let left = Math.floor(random.next() * 14);
          const ending = watched(small.table, ['commit', 'deleteMany'], () => {
            left -= 1;
            if (left < 0) {
              throw new Error('The process ended');
            }
          });
          await small.part(next, ending).catch(() => undefined);
        } else {
          const both = await Promise.allSettled([small.part(next), small.part(next)]);
          expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
        }
        if (step % 10 === 9) {
          await small.expectExact();
        }
      }
      await small.finish();
      await small.expectExact();
      await small.finish('compaction');
      await small.expectExact();
      await small.expectClear();
    },
  );

  test('Blocks from before there were columns of tags are not used for them, and made anew from the lists', async () => {
    const small = await SmallPipeline.of(product, 14);
    await small.finish('listing');
    const manifest = await readManifest(small.table, small.pipeline._id);
    const contents = manifest?.data.contents;
    if (manifest === undefined || contents === undefined) {
      throw new Error('The pipeline has no blocks');
    }
    const parts = storedParts(contents.blocks).filter(({ family }) => family === 'tags');
    await small.table.deleteMany(parts.map((part) => keyOfPart(small.pipeline._id, part)));
    const blocks = contents.blocks.map((block) => {
      const { tags: _, ...before } = block.parts;
      return { ...block, parts: before as StoredBlock['parts'] };
    });
    await small.table.commit([
      small.table.replace(manifest, { ...manifest.data, contents: { ...contents, blocks } }),
    ]);
    const load = (families: readonly Family[]) => loadStored(small.table, small.pipeline._id, families);
    expect([(await load(['tags'])) === undefined, (await load(['fields'])) === undefined]).toEqual([
      true,
      false,
    ]);
    await small.client.update(small.contactIds[0] ?? '', { addTags: ['vip'] });
    await small.tell();
    await small.finish('compaction');
    await small.expectExact();
    await small.expectClear();
    expect(await load(['tags'])).toBeDefined();
  });

  test.each(['listing', 'compaction'] as const)(
    'Each part of a %s does as much whatever the size of the pipeline',
    async (begin) => {
      for (const size of [16, 48]) {
        const small = await SmallPipeline.of(product, size);
        await small.finish(begin === 'listing' ? undefined : 'listing');
        for (const id of small.contactIds.filter((_, index) => index % 4 === 0)) {
          expectStatus(await small.client.update(id, { lastName: 'Edited' }), 200);
          await small.tell();
        }
        let outcome: Outcome = { begin };
        for (let [parts, calls] = [0, 0]; typeof outcome === 'object'; parts += 1, calls = 0) {
          const counting = watched(small.table, ['commit', 'list', 'read', 'readMany', 'rows'], () => {
            calls += 1;
          });
          outcome = await small.part(outcome.begin, counting);
          expect(calls).toBeLessThan(60);
          const work = (await readManifest(small.table, small.pipeline._id))?.data.work;
          expect(work?.isListing ?? begin === 'listing').toBe(begin === 'listing');
          expect(parts).toBeLessThan(2 * size);
        }
        await small.expectExact();
      }
    },
  );

  test('Changes that are missing in batches are made good from the lists', async () => {
    const small = await SmallPipeline.of(product, 8);
    await small.finish('compaction');
    const random = randomness(7);
    for (let change = 0; change < 10; change += 1) {
      await small.change(random);
      await small.tell();
    }
    const [lost] = await small.table.list(changeBatchRange(small.pipeline._id));
    await small.table.commit([small.table.delete((lost as NonNullable<typeof lost>).key)]);
    await small.finish('compaction');
    await small.finish('compaction');
    await small.expectExact();
    await small.expectClear();
  });

  test('A contact that is deleted before its change is in a batch does not hold up the work that began with this change', async () => {
    const small = await SmallPipeline.of(product, 8);
    await small.finish('listing');
    const [edited = ''] = small.contactIds;
    const created = await small.client.created({ firstName: 'New' });
    expectStatus(await small.client.update(edited, { lastName: 'Edited' }), 200);
    await small.tell(async () => {
      expectStatus(await small.client.remove(created._id), 200);
      expectStatus(await small.client.remove(edited), 200);
    });
    expect(await small.finish('compaction')).toBe(false);
    await small.tell();
    expect(await small.finish('compaction')).toBe(false);
    await small.expectExact();
    await small.expectClear();
  });

  test('A contact that is deleted after more changes than a compaction takes in leaves the blocks with the next one that is asked for', async () => {
    const small = await SmallPipeline.of(product, 8);
    await small.finish('listing');
    const [deleted = '', ...others] = small.contactIds;
    for (const id of others.slice(0, tiny.batches)) {
      expectStatus(await small.client.update(id, { lastName: 'Edited' }), 200);
      await small.tell();
    }
    expectStatus(await small.client.remove(deleted), 200);
    await small.tell();
    expect(await small.finish('compaction')).toBe(true);
    expect(await small.finish('compaction')).toBe(false);
    await small.expectExact();
    await small.expectClear();
  });

  test('Nothing is left of a part that writes while the index is deleted', async () => {
    const small = await SmallPipeline.of(product, 8);
    const { table, pipeline, now } = small;
    const limits = { ...tiny, fewest: 100, deletions: 100 };
    const deletion = { table, pipeline, now, newId: () => 'other', limits };
    let commits = 0;
    const commit: TableWriter['commit'] = async (...written) => {
      commits += 1;
      await (commits === 3 && compactPart(deletion));
      return table.commit(...written);
    };
    expect(await small.part('listing', { ...table, commit })).toEqual({});
    expect(await compactPart(deletion)).toBe('done');
    expect(await table.list(searchRange(pipeline._id))).toEqual([]);
  });

  test('The lists are read a second after the counters, because a card may become visible later', async () => {
    const small = await SmallPipeline.of(product, 2);
    const times: number[] = [];
    const noting = watched(small.table, ['list', 'rows'], () => times.push(performance.now()));
    const { settling } = usualLimits;
    const limits = { ...tiny, rows: 1_000, settling };
    const { pipeline, now } = small;
    await compactPart({ table: noting, pipeline, now, newId: () => 'first', limits }, 'listing');
    const gaps = times.map((time, index) => time - (times[index - 1] ?? time));
    expect(Math.max(...gaps)).toBeGreaterThanOrEqual(settling - 5);
    await small.expectExact();
  });

  test('The manifest of two million contacts fits into an item while they are compacted', () => {
    const { newId } = product.tableOf('-').moment;
    const blocksOf = () =>
      Array.from({ length: 50 }, newId).flatMap((writer) =>
        Array.from({ length: 25 }, (_, number): StoredBlock => {
          const parts = Object.fromEntries(families.map((family) => [family, `${writer}-${number}`]));
          return { stageId: `stage-${number % 8}`, rows: 1_990, parts: parts as StoredBlock['parts'] };
        }),
      );
    const contents = { blocks: blocksOf(), changes: [1, 2, 3, 4, 5, 6, 7, 8], builtAt: Date.now() };
    const work = { isListing: false, ...contents, blocks: blocksOf(), stageIds: [], attempts: [] };
    const manifest: Manifest = { contents, work, discarded: storedParts(blocksOf()) };
    expect(packed(manifest).length).toBeLessThan(100 * 1024);
  });
});
