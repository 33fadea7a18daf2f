import { expect } from 'vitest';
import { searchQuery } from '../../shared/board/search-page.ts';
import { CachedIndex } from '../../shared/column-index/cached-index.ts';
import { type NumberedChange, readChangeBatches } from '../../shared/column-index/change-batches.ts';
import {
  type Begin,
  compactPart,
  type Outcome,
  type PartLimits,
} from '../../shared/column-index/compaction.ts';
import { loadStored, readManifest } from '../../shared/column-index/load-stored.ts';
import { families } from '../../shared/column-index/packed-block.ts';
import {
  changeBatchKey,
  changeBatchRange,
  idOfPart,
  searchBlockRange,
} from '../../shared/column-index/stored-index.ts';
import { boardRange } from '../../shared/contact-aggregate/card.ts';
import { readCounters } from '../../shared/contact-aggregate/counters.ts';
import type { Pipeline } from '../../shared/contacts/pipeline.ts';
import { risingIds } from '../../shared/kernel/rising-ids.ts';
import { after, minute, second } from '../../shared/kernel/time.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import { contactsClient } from '../contacts/client.ts';
import type { Person, Product } from '../harness/product.ts';
import type { randomness } from '../harness/randomness.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';

/** So small that dozens of contacts need many parts. */
export const tiny: PartLimits = {
  fewest: 0,
  rows: 6,
  blockRows: 3,
  chunk: 2,
  batches: 6,
  deletions: 4,
  settling: 0,
};

/** A pipeline of a few contacts whose index is made in tiny parts, and the time, which only the test moves. */
export class SmallPipeline {
  readonly table: TableWriter;
  readonly pipeline: Pipeline;
  readonly client: ReturnType<typeof contactsClient>;
  readonly contactIds: string[] = [];
  readonly #newId: () => string;
  readonly #told = new Map<number, number>();
  now = new Date();

  private constructor(product: Product, admin: Person, pipeline: Pipeline) {
    this.pipeline = pipeline;
    this.table = product.tableOf(admin.organizationId).table;
    this.#newId = risingIds(product.tableOf(admin.organizationId).moment.newId);
    this.client = contactsClient(product, admin);
  }

  static async of(product: Product, count: number): Promise<SmallPipeline> {
    const admin = await product.newOrganization();
    const stages = ['First', 'Second', 'Third', 'Empty'].map((name) => ({ name }));
    const body = { name: 'Small', type: 'Contact', stages, isActive: true };
    const { data } = await arrange(product.call('create-pipeline', { token: admin.token, body }));
    const small = new SmallPipeline(product, admin, data);
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
    const loaded = await loadStored(this.table, this.pipeline._id, [
      'text',
      'people',
      'times',
      'fields',
      'tags',
    ]);
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
