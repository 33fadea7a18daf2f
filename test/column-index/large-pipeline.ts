import finishErasures from '../../functions/contacts/finish-erasures.ts';
import type { IndexCache } from '../../shared/column-index/cached-index.ts';
import { loadStored, readManifest } from '../../shared/column-index/load-stored.ts';
import { families } from '../../shared/column-index/packed-block.ts';
import { changeBatchRange, idOfPart, searchBlockRange } from '../../shared/column-index/stored-index.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import type { Pipeline } from '../../shared/contacts/pipeline.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveSchedule } from '../../shared/kernel/serve/serve-schedule.ts';
import { minute } from '../../shared/kernel/time.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import { writeContacts } from '../bench/bulk-writer.ts';
import { generatedContacts } from '../bench/generated-contacts.ts';
import { type ContactsClient, contactsClient } from '../contacts/client.ts';
import type { Person, Product } from '../harness/product.ts';
import { arrange } from '../harness/tenants.ts';
import { compactAll } from './compact.ts';
import {
  deliverCompactions,
  type FoundBoard,
  indexedBoard,
  listedBoard,
  streamOfCounters,
} from './indexed-boards.ts';
import { tableAtRest } from './table-at-rest.ts';

/** Queries of every kind, for contacts of these users. */
const queriesFor = (users: readonly string[]) => [
  { search: 'an' },
  { search: '12' },
  { search: 'no such name' },
  { search: 'a', size: 100 },
  { owner: [users[0]], size: 5 },
  { ownerFilter: 'unassigned' },
  { assignee: users.slice(0, 1), search: 'e' },
  { source: 'Referral' },
  { bulkOnly: true },
  { messageStatus: 'answered' },
  { lastMessageTimeRange: { value: 30, unit: 'days' } },
  { customFilters: { city: '^[a-m]', newsletter: true } },
  { createdDateRange: { start: new Date(Date.now() - 40 * 24 * 60 * minute).toISOString() } },
];

/** An organization with thousands of contacts in three stages, which the bulk writer wrote: the index does not exist yet. */
export class LargePipeline {
  readonly product: Product;
  readonly admin: Person;
  readonly table: TableWriter;
  readonly pipeline: Pipeline;
  readonly contacts: StoredContact[];
  readonly client: ContactsClient;
  readonly #stream: Awaited<ReturnType<typeof streamOfCounters>>;

  private constructor(
    product: Product,
    admin: Person,
    pipeline: Pipeline,
    stream: Awaited<ReturnType<typeof streamOfCounters>>,
  ) {
    this.product = product;
    this.admin = admin;
    this.pipeline = pipeline;
    this.table = product.tableOf(admin.organizationId).table;
    this.client = contactsClient(product, admin);
    this.#stream = stream;
    this.contacts = [];
  }

  static async of(product: Product, count: number): Promise<LargePipeline> {
    const admin = await product.newOrganization();
    const body = {
      name: 'Large',
      type: 'Contact',
      stages: ['First', 'Second', 'Third'].map((name) => ({ name })),
      isActive: true,
    };
    const { data } = await arrange(product.call('create-pipeline', { token: admin.token, body }));
    const large = new LargePipeline(product, admin, data, await streamOfCounters(product));
    await large.import(count, 1);
    return large;
  }

  /** Writes all contacts at once, without the operations. */
  async import(count: number, seed: number): Promise<void> {
    const { _id: pipelineId, stages } = this.pipeline;
    const more = [
      ...generatedContacts({
        count,
        organizationId: this.admin.organizationId,
        stages: stages.map(({ _id }) => ({ pipelineId, stageId: _id })),
        users: [this.admin.userId, 'another-user'],
        seed,
        now: new Date(),
      }),
    ].map((contact) => ({ ...contact, phoneNumbers: seed === 1 ? contact.phoneNumbers : [] }));
    await writeContacts(this.table, more, this.contacts);
    this.contacts.push(...more);
  }

  get stage(): (index: number) => string {
    return (index) => this.pipeline.stages[index]?._id ?? '';
  }

  /** Delivers all counters to the reader of the stream as they are now, and what it asks for. */
  async told(at?: Date): Promise<void> {
    await this.tell(await this.changes(), at);
    await deliverCompactions(this.product, at);
  }

  changes() {
    return this.#stream.records(this.admin.organizationId, this.pipeline._id);
  }

  tell(changes: Awaited<ReturnType<LargePipeline['changes']>>, at?: Date): Promise<void> {
    return this.#stream.tell(changes, at);
  }

  compact(now = new Date()): Promise<void> {
    const { newId } = this.product.tableOf('-').moment;
    return compactAll({ table: this.table, pipeline: this.pipeline, now, newId });
  }

  /** Boards of these queries, as a process that has nothing cached finds them, one that has cached indexes, and as the lists have them. */
  async boards(
    queries: readonly object[] = queriesFor([this.admin.userId]),
    indexes?: IndexCache,
  ): Promise<{
    indexed: (FoundBoard | undefined)[];
    cached: (FoundBoard | undefined)[];
    listed: FoundBoard[];
  }> {
    const indexed: (FoundBoard | undefined)[] = [];
    const cached: (FoundBoard | undefined)[] = [];
    const listed: FoundBoard[] = [];
    const table = tableAtRest(this.table);
    for (const query of queries) {
      indexed.push(await indexedBoard(table, this.admin, query));
      listed.push(await listedBoard(table, this.admin, query));
      if (indexes !== undefined) {
        cached.push(await indexedBoard(table, this.admin, query, { indexes }));
      }
    }
    return { indexed, cached, listed };
  }

  /** Ids of stored items that no manifest names, and of named ones that are not stored. */
  async leftovers(): Promise<{ unnamed: string[]; missing: string[] }> {
    const { _id, stages } = this.pipeline;
    const manifest = await readManifest(this.table, _id);
    const blocks = manifest?.data.contents?.blocks ?? [];
    const named = blocks.flatMap(({ parts }) => families.map((family) => `${family} ${parts[family]}`));
    const stored: string[] = [];
    for (const family of families) {
      for (const stage of stages) {
        const items = await this.table.list(searchBlockRange(_id, family, stage._id));
        stored.push(...items.map(({ key }) => `${family} ${idOfPart(key)}`));
      }
    }
    return {
      unnamed: stored.filter((id) => !named.includes(id)),
      missing: named.filter((id) => !stored.includes(id)),
    };
  }

  /** Those of these contacts that the stored blocks contain. */
  async stored(ids: readonly string[]): Promise<string[]> {
    const loaded = await loadStored(this.table, this.pipeline._id, []);
    const all = new Set(
      (loaded?.stored?.blocks ?? []).flatMap(({ block: { keys } }) =>
        Array.from({ length: keys.length }, (_, row) => keys.id(row)),
      ),
    );
    return ids.filter((id) => all.has(id));
  }

  /** The run that requests compactions, and the reader of the queue that carries them out. */
  async compactionRun(): Promise<void> {
    const providers = { ...this.product.providers, queue: () => this.product.queues.compactions };
    const runtime = { ...systemRuntime, log: () => undefined };
    await serveSchedule('finish-erasures', finishErasures, providers, runtime)();
    await deliverCompactions(this.product);
  }

  async batches(): Promise<number> {
    return (await this.table.list(changeBatchRange(this.pipeline._id))).length;
  }
}
