import { toUlid, ulidParts } from '../../shared/column-index/key-columns.ts';
import { toCard } from '../../shared/contact-aggregate/card.ts';
import { attributesFor, counterShards, shardFor } from '../../shared/contact-aggregate/counters.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import type { Pipeline } from '../../shared/contacts/pipeline.ts';
import { packed } from '../../shared/kernel/packing.ts';
import { after, timestamp } from '../../shared/kernel/time.ts';
import { joined, type Key, type Range } from '../../shared/table/key.ts';
import type { Action, QueryOptions, RawRow, Stored, TableWriter } from '../../shared/table/table.ts';
import { generatedContacts } from './generated-contacts.ts';

interface Item {
  readonly key: Key<unknown>;
  readonly data: unknown;
  readonly version: number;
  readonly bytes?: Uint8Array;
  /** As it would be stored. */
  readonly size: number;
}

/** Milliseconds between the creations of two contacts. */
const gap = 1_000;

/** Rows of a page, of about 1 MB. */
const rowsOfPage = 3_000;

/** Contacts that differ in more than their place; all others repeat them. */
const templates = 20_000;

/**
 * A table with one large pipeline: what is written it holds in memory, and the lists, records and counters of the contacts it makes when
 * they are read. It counts what DynamoDB would charge.
 */
export class SimulatedTable {
  readonly now = new Date();
  readonly table: TableWriter;
  /** In bytes. */
  largestManifest = 0;
  readonly units = { read: 0, written: 0 };
  readonly #items = new Map<string, Item>();
  readonly #templates: StoredContact[];
  readonly #pipeline: Pipeline;
  readonly #count: number;
  readonly #changes = new Array<number>(counterShards).fill(0);
  /** The last change of each shard, as counters have it. */
  readonly #last: string[] = [];
  readonly #changed = new Map<string, StoredContact>();

  constructor(pipeline: Pipeline, count: number) {
    this.#pipeline = pipeline;
    this.#count = count;
    this.#templates = [
      ...generatedContacts({
        count: templates,
        organizationId: 'simulated',
        stages: pipeline.stages.map(({ _id }) => ({ pipelineId: pipeline._id, stageId: _id })),
        users: Array.from({ length: 40 }, (_, index) => `user-${index}`),
        seed: 1,
        now: this.now,
      }),
    ];
    this.table = this.#table() as TableWriter;
  }

  get bytes(): number {
    return [...this.#items.values()].reduce((sum, { size }) => sum + size, 0);
  }

  forgetUnits(): void {
    Object.assign(this.units, { read: 0, written: 0 });
  }

  changes(shard: number): number {
    return this.#changes[shard] ?? 0;
  }

  /** Changes the contact at a position. */
  change(position: number): { contact: StoredContact; shard: number } {
    const contact = { ...this.#contactAt(position), lastName: `Edited ${position}` };
    const shard = shardFor(contact._id);
    this.#changes[shard] = this.changes(shard) + 1;
    this.#last[shard] = `${contact._id} 2`;
    this.#changed.set(contact._id, contact);
    return { contact, shard };
  }

  /** The newest contact is at 0; positions go round the stages. */
  #contactAt(position: number): StoredContact {
    const { stages, _id: pipelineId } = this.#pipeline;
    const template = this.#templates[position % templates] as StoredContact;
    const createdAt = after(this.now, -gap * (position + 1));
    const random = new Uint8Array(10);
    // The last bytes serve as a hash in the index: scattered, as in true ids.
    new DataView(random.buffer).setUint32(0, position);
    new DataView(random.buffer).setUint32(6, Math.imul(position + 1, 0x9e3779b1) >>> 0);
    const _id = toUlid(createdAt.getTime(), random, 0);
    const stageId = stages[position % stages.length]?._id ?? '';
    const contact = { ...template, _id, createdAt: timestamp(createdAt), pipelineId, stageId };
    return this.#changed.get(_id) ?? contact;
  }

  #read(bytes: number, consistent: boolean): void {
    this.units.read += Math.max(1, Math.ceil(bytes / 4096)) * (consistent ? 1 : 0.5);
  }

  #counters(): Stored<never>[] {
    const { stages, _id } = this.#pipeline;
    this.#read(1_500, true);
    return Array.from({ length: counterShards }, (_, shard) => {
      const counts = stages.map(({ _id }, index) => {
        const inStage = Math.floor((this.#count - 1 - index) / stages.length) + 1;
        return [attributesFor(_id).count, shard === 0 ? inStage : 0] as const;
      });
      const attributes = {
        ...Object.fromEntries(counts),
        changes: this.changes(shard),
        r0: this.#last[shard] ?? '',
      };
      const key = { partition: ['COUNTS', _id], sort: ['all', String(shard)] };
      return { key, data: undefined as never, version: 1, attributes };
    });
  }

  /** A list of the board, the newest first, from a row on. */
  async *#boardRows({ partition, between }: Range<unknown>): AsyncIterable<RawRow[]> {
    const { stages } = this.#pipeline;
    const stage = stages.findIndex(({ _id }) => _id === partition[1]);
    const top = between === undefined ? undefined : Date.parse(between.to.split('#')[0] ?? '');
    const first = top === undefined ? stage : (this.now.getTime() - top) / gap - 1;
    let page: RawRow[] = [];
    let bytes = 0;
    for (let position = first; position < this.#count; position += stages.length) {
      const contact = this.#contactAt(position);
      const data = packed(toCard(contact));
      page.push({ sk: joined([contact.createdAt, contact._id]), data });
      bytes += data.length + 150;
      if (page.length === rowsOfPage) {
        this.#read(bytes, true);
        yield page;
        [page, bytes] = [[], 0];
      }
    }
    this.#read(bytes, true);
    yield page;
  }

  #found(key: Key<unknown>, consistent = true): Stored<unknown> | undefined {
    const [kind, id = ''] = key.partition;
    const parts = kind === 'CONTACT' ? ulidParts(id) : undefined;
    if (parts !== undefined) {
      this.#read(1_000, consistent);
      const data = this.#contactAt(new DataView(parts.random.buffer).getUint32(0));
      return { key, data, version: this.#changed.has(id) ? 2 : 1 };
    }
    const item = this.#items.get(textOf(key));
    this.#read(item?.size ?? 0, consistent);
    return item && { ...item, ...(item.bytes && { attributes: { bytes: item.bytes } }) };
  }

  #put(item: Omit<Item, 'size'>): void {
    const size = 100 + (item.bytes?.length ?? packed(item.data).length);
    // A transaction costs twice as much.
    this.units.written += 2 * Math.ceil(size / 1024);
    this.largestManifest = Math.max(this.largestManifest, item.key.sort[0] === 'INDEX' ? size : 0);
    this.#items.set(textOf(item.key), { ...item, size });
  }

  #delete(key: Key<unknown>): void {
    this.units.written += Math.ceil((this.#items.get(textOf(key))?.size ?? 1) / 1024);
    this.#items.delete(textOf(key));
  }

  #list({ partition, under = [] }: Range<unknown>, { limit, consistent = true }: QueryOptions = {}) {
    if (partition[0] === 'COUNTS') {
      return this.#counters();
    }
    const start = textOf({ partition, sort: under });
    const found = [...this.#items.values()].filter(({ key }) => textOf(key).startsWith(start));
    const some = found.sort((a, b) => (textOf(a.key) < textOf(b.key) ? -1 : 1)).slice(0, limit);
    this.#read(
      some.reduce((sum, { size }) => sum + size, 0),
      consistent,
    );
    return some.map((item) => ({ ...item, ...(item.bytes && { attributes: { bytes: item.bytes } }) }));
  }

  #table(): Partial<TableWriter> {
    const write = (item: Omit<Item, 'size'>) => ({ request: { item } });
    return {
      organizationId: 'simulated',
      read: (async (key: Key<unknown>) => this.#found(key)) as TableWriter['read'],
      readMany: (async (keys: readonly Key<unknown>[], { consistent = true } = {}) =>
        keys.map((key) => this.#found(key, consistent))) as TableWriter['readMany'],
      list: (async (range: Range<unknown>, options?: QueryOptions) =>
        this.#list(range, options)) as TableWriter['list'],
      rows: ((range: Range<unknown>) =>
        range.partition[0] === 'BOARD' ? this.#boardRows(range) : nothing()) as TableWriter['rows'],
      add: (key, data) => write({ key, data, version: 1 }),
      replace: ({ key, version }, data) => write({ key, data, version: version + 1 }),
      put: (key, data, { bytes } = {}) => write({ key, data, version: 1, ...(bytes && { bytes }) }),
      commit: async (actions: readonly Action[]) => {
        for (const { request } of actions) {
          this.#put(request.item as Omit<Item, 'size'>);
        }
      },
      deleteMany: async (keys) => {
        for (const key of keys) {
          this.#delete(key);
        }
      },
    };
  }
}

async function* nothing(): AsyncIterable<RawRow[]> {}

const textOf = ({ partition, sort }: { partition: readonly string[]; sort: readonly string[] }) =>
  `${partition.join('#')} ${sort.join('#')}`;
