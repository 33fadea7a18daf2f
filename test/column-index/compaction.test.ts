import { describe, expect, test } from 'vitest';
import { searchQuery } from '../../functions/contacts/model/search-page.ts';
import { storedParts } from '../../shared/column-index/block-writer.ts';
import { CachedIndex } from '../../shared/column-index/cached-index.ts';
import { type NumberedChange, readChangeBatches } from '../../shared/column-index/change-batches.ts';
import {
  type Begin,
  compactPart,
  type Outcome,
  type PartLimits,
  usualLimits,
} from '../../shared/column-index/compaction.ts';
import { loadStored, readManifest } from '../../shared/column-index/load-stored.ts';
import { families } from '../../shared/column-index/packed-block.ts';
import {
  changeBatchKey,
  changeBatchRange,
  idOfPart,
  type Manifest,
  type StoredBlock,
  searchBlockRange,
  searchRange,
} from '../../shared/column-index/stored-index.ts';
import { boardRange } from '../../shared/contact-aggregate/card.ts';
import { readCounters } from '../../shared/contact-aggregate/counters.ts';
import type { Pipeline } from '../../shared/contacts/pipeline.ts';
import { packed } from '../../shared/kernel/packing.ts';
import { risingIds } from '../../shared/kernel/rising-ids.ts';
import { after, minute, second } from '../../shared/kernel/time.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import { contactsClient } from '../contacts/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { randomness } from '../harness/randomness.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';

const product = await setUpProduct();

/** So small that dozens of contacts need many parts. */
const tiny: PartLimits = {
  fewest: 0,
  rows: 6,
  blockRows: 3,
  chunk: 2,
  batches: 6,
  deletions: 4,
  settling: 0,
};

/** A pipeline of a few contacts whose index is made in tiny parts, and the time, which only the test moves. */
class SmallPipeline {
  readonly table: TableWriter;
  readonly pipeline: Pipeline;
  readonly client: ReturnType<typeof contactsClient>;
  readonly contactIds: string[] = [];
  readonly #newId: () => string;
  readonly #told = new Map<number, number>();
  now = new Date();

  private constructor(admin: Awaited<ReturnType<typeof product.newOrganization>>, pipeline: Pipeline) {
    this.pipeline = pipeline;
    this.table = product.tableOf(admin.organizationId).table;
    this.#newId = risingIds(product.tableOf(admin.organizationId).moment.newId);
    this.client = contactsClient(product, admin);
  }

  static async of(count: number): Promise<SmallPipeline> {
    const admin = await product.newOrganization();
    const stages = ['First', 'Second', 'Third', 'Empty'].map((name) => ({ name }));
    const body = { name: 'Small', type: 'Contact', stages, isActive: true };
    const { data } = await arrange(product.call('create-pipeline', { token: admin.token, body }));
    const small = new SmallPipeline(admin, data);
    for (let index = 0; index < count; index += 1) {
      small.contactIds.push((await small.client.created({ firstName: `Contact ${index}` }))._id);
      if (index % 3 > 0) {
        await small.client.move(small.contactIds.at(-1) ?? '', { stageId: small.#stageId(index % 3) });
      }
      await small.tell();
    }
    return small;
  }

  #stageId(index: number): string {
    return this.pipeline.stages[index]?._id ?? '';
  }

  /** Creates, edits, moves or deletes a contact. */
  async change(random: ReturnType<typeof randomness>): Promise<void> {
    const kind = random.pick(['create', 'edit', 'edit', 'move', 'move', 'delete'] as const);
    const id = random.pick(this.contactIds);
    if (kind === 'create') {
      this.contactIds.push((await this.client.created({ firstName: 'New' }))._id);
    } else if (kind === 'edit') {
      expectStatus(await this.client.update(id, { lastName: `Edited ${random.next()}` }), 200);
    } else if (kind === 'move') {
      const stageId = this.#stageId(Math.floor(random.next() * 3));
      expectStatus(await this.client.move(id, { stageId }), 200);
    } else {
      expectStatus(await this.client.remove(id), 200);
      this.contactIds.splice(this.contactIds.indexOf(id), 1);
    }
  }

  /** Stores the changes since the last time in batches, as the reader of the stream does. */
  async tell(meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
    const { _id } = this.pipeline;
    const unseen: NumberedChange[] = [];
    for (const { shard, count, latest } of (await readCounters(this.table, _id)).changes()) {
      for (let number = (this.#told.get(shard) ?? 0) + 1; number <= count; number += 1) {
        const change = latest[count - number];
        expect(change).toBeDefined();
        unseen.push({ ...(change as (typeof latest)[number]), shard, number });
      }
      this.#told.set(shard, count);
    }
    await meanwhile();
    for (const batch of unseen.length === 0 ? [] : await readChangeBatches(this.table, _id, unseen)) {
      await this.table.commit([this.table.put(changeBatchKey(_id, this.#newId()), batch)]);
    }
  }

  part(begin: Begin | undefined, table = this.table): Promise<Outcome> {
    const { pipeline, now } = this;
    return compactPart({ table, pipeline, now, newId: this.#newId, limits: tiny }, begin);
  }

  /** Does what is left to do. True if contacts that left are still in the blocks. */
  async finish(begin?: Begin): Promise<boolean> {
    this.now = after(this.now, 2 * minute);
    let outcome = await this.part(begin);
    while (typeof outcome === 'object') {
      this.now = after(this.now, second);
      outcome = await this.part(outcome.begin);
    }
    expect(['done', 'stale']).toContain(outcome);
    return outcome === 'stale';
  }

  /** A process that has nothing cached finds in the stored index exactly what the lists have. */
  async expectExact(): Promise<void> {
    const loaded = await loadStored(this.table, this.pipeline._id, ['text', 'people', 'times', 'fields']);
    if (loaded === undefined) {
      return;
    }
    const cached = new CachedIndex(this.pipeline, loaded);
    expect(await cached.follow(this.table)).toBe('current');
    const queryOf = (conditions: object) =>
      searchQuery({ created: undefined, conditions, views: [['all']] }, []);
    const [query, editedQuery] = [queryOf({}), queryOf({ search: 'edited' })];
    for (const { _id: stageId } of this.pipeline.stages) {
      const rows = await this.table.list(boardRange(stageId, ['all']), { descending: true });
      const ids = rows.map(({ key }) => key.sort.at(-1));
      const found = cached.state.index.find(stageId, query, { first: 0, size: 1_000 });
      expect(found).toEqual({ total: ids.length, contactIds: ids });
      const edited = rows.flatMap(({ key, data }) => (data.l?.startsWith('Edited') ? [key.sort.at(-1)] : []));
      expect(cached.state.index.find(stageId, editedQuery, { first: 0, size: 1_000 }).contactIds).toEqual(
        edited,
      );
    }
  }

  /** Nothing is stored that the manifest does not name, and everything that it names. */
  async expectClear(): Promise<void> {
    const { _id, stages } = this.pipeline;
    const { contents, work, discarded } = (await readManifest(this.table, _id))?.data ?? {};
    expect({ work, discarded }).toEqual({ work: undefined, discarded: [] });
    for (const family of families) {
      const stored = await Promise.all(
        stages.map((stage) => this.table.list(searchBlockRange(_id, family, stage._id))),
      );
      const ids = stored.flat().map(({ key }) => idOfPart(key));
      expect(ids.sort()).toEqual(contents?.blocks.map(({ parts }) => parts[family]).sort());
    }
    expect(await this.table.list(changeBatchRange(_id))).toEqual([]);
  }
}

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
      const small = await SmallPipeline.of(14);
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

  test.each(['listing', 'compaction'] as const)(
    'Each part of a %s does as much whatever the size of the pipeline',
    async (begin) => {
      for (const size of [16, 48]) {
        const small = await SmallPipeline.of(size);
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
    const small = await SmallPipeline.of(8);
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
    const small = await SmallPipeline.of(8);
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
    const small = await SmallPipeline.of(8);
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
    const small = await SmallPipeline.of(8);
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
    const small = await SmallPipeline.of(2);
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
