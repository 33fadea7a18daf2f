import { type BoardCounters, readCounters, settling } from '../contact-aggregate/counters.ts';
import { unavailable } from '../kernel/transient-errors.ts';
import { pause } from '../table/backoff.ts';
import type { TableReader, TableWriter } from '../table/table.ts';
import { Block } from './block.ts';
import type { BlockWriter } from './block-writer.ts';
import { type IndexedContact, inBoardOrder, indexedContact } from './indexed-contact.ts';
import {
  type ChangeNumbers,
  changeNumbers,
  KnownChanges,
  pausesForRecords,
  readChangedRecords,
  rememberAll,
} from './known-changes.ts';
import { type LatestContacts, readLatestContacts, readListedContacts } from './load-lists.ts';
import { type IndexedPipeline, readFamily } from './load-stored.ts';
import { families, type PackedBlock } from './packed-block.ts';
import { RowFinder } from './row-finder.ts';
import type { ChangedContact } from './search-index.ts';
import { type ChangeBatch, type Contents, type StoredBlock, searchBlockKey } from './stored-index.ts';

/** Blocks that are smaller than this take in the next one that changes too. */
const fewestRows = 1_000;

/** A block, and what changes in it. */
interface Rewriting {
  readonly stored: StoredBlock;
  readonly block: Block;
  readonly gone: Set<number>;
  readonly added: IndexedContact[];
}

/**
 * Writes the blocks in which contacts changed, and leaves all others where they are: it needs the keys of all, and all else of one
 * block at a time. Undefined if some changes are not known, or if the result does not have as many contacts as the counters say.
 */
export async function rewriteBlocks(
  table: TableWriter,
  pipeline: IndexedPipeline,
  { blocks, changes: from }: Contents,
  batches: readonly ChangeBatch[],
  writer: BlockWriter,
): Promise<Omit<Contents, 'builtAt'> | undefined> {
  const counters = await readCounters(table, pipeline._id);
  const [changes, keys] = await Promise.all([
    changedContacts(table, pipeline, from, counters.changes(), new KnownChanges(batches)),
    readFamily(table, pipeline._id, 'keys', blocks),
  ]);
  if (changes === undefined || keys === undefined) {
    return undefined;
  }
  const all = blocks.map((stored): Rewriting => {
    const block = new Block(stored.stageId, keys.get(stored.parts.keys) as Uint8Array);
    return { stored, block, gone: new Set(), added: [] };
  });
  const rewritings = withChanges(all, changes.contacts);
  const result: StoredBlock[] = [];
  const stageIds = new Set([...pipeline.stages.map(({ _id }) => _id), ...rewritings.keys()]);
  for (const stageId of stageIds) {
    const { known = [], added = [] } = rewritings.get(stageId) ?? {};
    const written = await writeStage(table, pipeline._id, { stageId, known, added }, writer);
    const rows = written.reduce((sum, block) => sum + block.rows, 0);
    if (changes.isPresent && rows !== counters.of(stageId).total) {
      return undefined;
    }
    result.push(...written);
  }
  return { blocks: result, changes: changes.numbers };
}

/** The state of every contact that changed. `isPresent` says that it is exactly the state of the counters. */
async function changedContacts(
  table: TableReader,
  { _id }: IndexedPipeline,
  from: Contents['changes'],
  shards: Parameters<KnownChanges['since']>[1],
  known: KnownChanges,
): Promise<
  { contacts: Map<string, ChangedContact>; numbers: ChangeNumbers; isPresent: boolean } | undefined
> {
  const reached = known.asFarAsKnown(from, shards);
  if (reached === undefined) {
    return undefined;
  }
  const { changes, numbers } = reached;
  const contacts = new Map<string, ChangedContact>();
  const unread = changes.filter((change) => {
    const { contactId, version } = change;
    const row = version === 0 ? { version, contact: undefined } : known.row(change);
    if (row !== undefined) {
      contacts.set(contactId, row);
    }
    return row === undefined;
  });
  const records = await readChangedRecords(table, _id, unread);
  for (const [index, { contactId }] of unread.entries()) {
    const record = records[index];
    if (record === undefined) {
      throw unavailable(new Error('The record of a changed contact is not visible yet'));
    }
    const { version, contact } = record;
    contacts.set(contactId, { version, contact: contact && indexedContact(contact) });
  }
  const isPresent =
    shards.every(({ shard, count }) => numbers[shard] === count) &&
    changes.every(({ contactId, version }) => contacts.get(contactId)?.version === version);
  return { contacts, numbers, isPresent };
}

interface StageRewriting {
  readonly known: Rewriting[];
  /** Contacts of a stage without blocks. */
  readonly added: IndexedContact[];
}

/** The blocks by stage, with the rows that go and the contacts that come. */
function withChanges(
  all: readonly Rewriting[],
  contacts: ReadonlyMap<string, ChangedContact>,
): Map<string, StageRewriting> {
  const stages = new Map<string, StageRewriting>();
  for (const [stageId, known] of Map.groupBy(all, ({ stored }) => stored.stageId)) {
    stages.set(stageId, { known, added: [] });
  }
  const byBlock = new Map(all.map((rewriting) => [rewriting.block, rewriting]));
  const finder = new RowFinder(all.map(({ block }) => block));
  for (const [contactId, { contact }] of contacts) {
    for (const { block, row } of finder.find(contactId)) {
      byBlock.get(block)?.gone.add(row);
    }
    if (contact !== undefined) {
      const { stageId } = contact;
      const stage = stages.get(stageId) ?? { known: [], added: [] };
      stages.set(stageId, stage);
      (blockFor(stage.known, contact)?.added ?? stage.added).push(contact);
    }
  }
  return stages;
}

/** The block in which a contact's place is: the last one that begins above it, or the first. */
function blockFor(known: readonly Rewriting[], contact: IndexedContact): Rewriting | undefined {
  const begins = known.findLast(({ block: { keys } }) => {
    const first = { createdAt: keys.createdAt(0), _id: keys.id(0) };
    return inBoardOrder(first, contact) <= 0;
  });
  return begins ?? known[0];
}

async function writeStage(
  table: TableReader,
  pipelineId: string,
  { stageId, known, added }: StageRewriting & { readonly stageId: string },
  writer: BlockWriter,
): Promise<StoredBlock[]> {
  const written: StoredBlock[] = await writer.write(stageId, added.toSorted(inBoardOrder));
  let few: IndexedContact[] = [];
  for (const rewriting of known) {
    const { stored, gone, added: more } = rewriting;
    const isChanged = gone.size > 0 || more.length > 0;
    if (few.length > 0 && !isChanged) {
      written.push(...(await writer.write(stageId, few)));
      few = [];
    }
    if (!isChanged) {
      written.push(stored);
      continue;
    }
    const packed = await readParts(table, pipelineId, stored);
    const former = new Block(stageId, packed.keys).addAll(packed).rows();
    const kept = former.filter((_, row) => !gone.has(row));
    const rows = [...few, ...[...kept, ...more].sort(inBoardOrder)];
    if (rows.length < fewestRows) {
      few = rows;
      continue;
    }
    const replaced = few.length === 0 ? { stored, packed, rows: former } : undefined;
    written.push(...(await writer.write(stageId, rows, replaced)));
    few = [];
  }
  written.push(...(await writer.write(stageId, few)));
  return written;
}

/** All families of a block. */
async function readParts(
  table: TableReader,
  pipelineId: string,
  { stageId, parts }: StoredBlock,
): Promise<PackedBlock> {
  const records = await table.readMany(
    families.map((family) => searchBlockKey(pipelineId, family, stageId, parts[family])),
  );
  const packed = families.map((family, index) => {
    const bytes = records[index]?.attributes?.bytes;
    if (bytes === undefined) {
      throw unavailable(new Error('A block is missing'));
    }
    return [family, bytes];
  });
  return Object.fromEntries(packed) as PackedBlock;
}

/**
 * Writes blocks of all contacts in the lists, with at least the changes that the counters count before.
 * @throws a 503 `Failure` while the record of a contact that changed last is not visible.
 */
export async function buildListedBlocks(
  table: TableWriter,
  pipeline: IndexedPipeline,
  writer: BlockWriter,
): Promise<Omit<Contents, 'builtAt'>> {
  const { counters, latest } = await visibleChanges(table, pipeline);
  if (!rememberAll(counters.changes())) {
    // The cards of changes of the last second may not be visible yet, and the counters may not remember all of those.
    await pause(settling);
  }
  const blocks: StoredBlock[] = [];
  for (const { _id } of pipeline.stages) {
    for await (const rows of readListedContacts(table, pipeline, _id, Promise.resolve(latest))) {
      blocks.push(...(await writer.write(_id, rows)));
    }
  }
  return { blocks, changes: changeNumbers(counters.changes()) };
}

/** Counters, and the contacts whose changes they remember. */
async function visibleChanges(
  table: TableReader,
  pipeline: IndexedPipeline,
): Promise<{ counters: BoardCounters; latest: LatestContacts }> {
  for (const wait of [0, ...pausesForRecords]) {
    await pause(wait);
    const counters = await readCounters(table, pipeline._id);
    const latest = await readLatestContacts(table, pipeline, counters);
    if (latest !== undefined) {
      return { counters, latest };
    }
  }
  throw unavailable(new Error('The record of a contact that changed last does not become visible'));
}
