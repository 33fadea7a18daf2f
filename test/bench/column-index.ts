import { parseArgs } from 'node:util';
import type { Conditions } from '../../shared/board/board-plan.ts';
import { type CustomFieldTest, loadCustomFieldTests } from '../../shared/board/custom-filters.ts';
import { searchQuery } from '../../shared/board/search-page.ts';
import { IndexCache, keyOfIndex } from '../../shared/column-index/cached-index.ts';
import { compactPart, type Outcome, usualLimits } from '../../shared/column-index/compaction.ts';
import { indexedContact } from '../../shared/column-index/indexed-contact.ts';
import { searchColumns } from '../../shared/column-index/search-columns.ts';
import { batchRow, changeBatchKey, searchManifestKey } from '../../shared/column-index/stored-index.ts';
import { counterShards } from '../../shared/contact-aggregate/counters.ts';
import type { Pipeline } from '../../shared/contacts/pipeline.ts';
import { packed } from '../../shared/kernel/packing.ts';
import { after, hour, second } from '../../shared/kernel/time.ts';
import { wholeNumberFrom } from './options.ts';
import { SimulatedTable } from './simulated-table.ts';
import { figure, markdownTable } from './table.ts';

/**
 * Makes, loads, searches and compacts the index of one large pipeline, by the real code over a table in memory, whose lists and records are
 * generated when they are read. Prints what each step took and what the table would have charged.
 */
const { values } = parseArgs({ options: { contacts: { type: 'string', default: '2000000' } } });
const contacts = wholeNumberFrom(10_000, '--contacts', values.contacts);

/** Changes of the compaction: as many as start one. */
const changes = 5_000;

const megabyte = 1024 * 1024;
const stages = Array.from({ length: 8 }, (_, index) => ({ _id: `stage-${index}-abcdefgh`.slice(0, 16) }));
const pipeline = { _id: 'large', stages } as unknown as Pipeline;
const simulated = new SimulatedTable(pipeline, contacts);
const { table } = simulated;
let now = after(simulated.now, -hour);
let ids = 0;
const newId = () => `01HZZZZZZZZZZZZZZZ${String(ids++).padStart(8, '0')}`;

const rows: string[][] = [];

/** Runs a step in parts, and notes what it took. */
async function measure(step: string, part: () => Promise<boolean>): Promise<void> {
  globalThis.gc?.();
  simulated.forgetUnits();
  let [parts, longest, all, cpu, memory] = [0, 0, 0, 0, 0];
  for (let isMore = true; isMore; parts += 1) {
    const [start, used] = [performance.now(), process.cpuUsage()];
    isMore = await part();
    const { user, system } = process.cpuUsage(used);
    const took = performance.now() - start;
    [longest, all] = [Math.max(longest, took), all + took];
    cpu = Math.max(cpu, (user + system) / 1_000);
    memory = Math.max(memory, process.memoryUsage().rss - simulated.bytes);
  }
  const { read, written } = simulated.units;
  rows.push([
    step,
    ...[parts, longest, cpu, all, read, written, memory / megabyte].map((value) => figure(value)),
  ]);
  console.log(rows.at(-1)?.join('  '));
}

function parts(begin: 'compaction' | 'listing'): () => Promise<boolean> {
  let outcome: Outcome = { begin };
  return async () => {
    now = after(now, second);
    const { begin } = outcome as Exclude<Outcome, string>;
    outcome = await compactPart({ table, pipeline, now, newId, limits: usualLimits }, begin);
    return typeof outcome === 'object';
  };
}

/** A search over all columns, as the board does it. */
const search =
  (conditions: Conditions, indexes: IndexCache, fields: CustomFieldTest[] = []) =>
  async () => {
    const query = searchQuery({ created: undefined, conditions, views: [['all']] }, fields);
    const columns = stages.map(({ _id: stageId }) => ({ stageId, first: 0, size: 20 }));
    const cards = { version: 1, textOf: (contact: object) => JSON.stringify(contact) };
    const found = await searchColumns(table, { pipeline, query, columns, cards }, simulated.now, indexes);
    if (found === undefined) {
      throw new Error('The index was not used');
    }
    return false;
  };

await measure('first indexing', parts('listing'));
const indexes = new IndexCache();
await measure('first search of a process', search({ search: 'an' }, indexes));
await measure('another search', search({ search: 'er' }, indexes));
await measure('the same search again', search({ search: 'er' }, indexes));
const fields = await loadCustomFieldTests({ city: '^[a-m]' });
await measure(
  'a search by every kind of column',
  search({ search: 'an', source: 'referral' }, indexes, fields),
);
const kept = indexes.get(keyOfIndex(table.organizationId, pipeline._id), simulated.now);

const changed = Array.from({ length: changes }, (_, index) => Math.floor((index * contacts) / changes));
const numbers = new Array<number>(counterShards).fill(0);
for (let batch = 0; batch < changes; batch += 100) {
  const own = changed.slice(batch, batch + 100).map((position) => {
    const { contact, shard } = simulated.change(position);
    numbers[shard] = (numbers[shard] ?? 0) + 1;
    return { change: [shard, simulated.changes(shard), contact._id, 2] as const, contact };
  });
  const data = {
    changes: own.map(({ change }) => change),
    rows: own.map(({ contact }) => [contact._id, 2, batchRow(indexedContact(contact))] as const),
  };
  await table.commit([table.put(changeBatchKey(pipeline._id, newId()), data)]);
}
await measure('search after 5,000 changes', search({ search: 'er' }, indexes));
await measure('compaction of 5,000 changes', parts('compaction'));

const manifest = await table.read(searchManifestKey(pipeline._id));
console.log(
  `\n${figure(contacts)} contacts, 8 stages. Times in ms; memory: the process, without the simulated table.\n`,
);
const head = [
  'Step',
  'Parts',
  'Longest',
  'CPU of the longest',
  'All',
  'Read units',
  'Write units',
  'Memory (MB)',
];
console.log(markdownTable(head, rows, 1));
console.log(`
Manifest: ${figure(packed(manifest?.data).length / 1024)} KB, at most ${figure(simulated.largestManifest / 1024)} KB. Stored: ${figure(simulated.bytes / megabyte)} MB.
The loaded index: ${kept === undefined ? 'not kept' : `${figure(kept.bytes / megabyte)} MB, kept by the cache`}.`);
