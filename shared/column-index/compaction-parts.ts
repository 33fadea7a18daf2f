import { boardRange } from '../contact-aggregate/card.ts';
import { contactKey } from '../contacts/contact.ts';
import { unavailable } from '../kernel/transient-errors.ts';
import type { TableReader } from '../table/table.ts';
import { Block } from './block.ts';
import type { BlockWriter } from './block-writer.ts';
import { type IndexedContact, inBoardOrder, indexedContact } from './indexed-contact.ts';
import { KnownChanges, readChangedRecords } from './known-changes.ts';
import { contactOfRow } from './load-lists.ts';
import { type Family, families, type PackedBlock } from './packed-block.ts';
import { RowFinder } from './row-finder.ts';
import type { ChangedContact } from './search-index.ts';
import { type Contents, changeBatchRange, keyOfPart, type StoredBlock, type Work } from './stored-index.ts';

/** How much a part of a compaction does, whatever the size of the pipeline. */
export interface PartLimits {
  /** Contacts of the smallest pipeline that keeps its index. */
  readonly fewest: number;
  /** Contacts that it writes. */
  readonly rows: number;
  /** Contacts of a block. */
  readonly blockRows: number;
  /** Former blocks that it looks at together. */
  readonly chunk: number;
  /** Change batches that a compaction takes in. */
  readonly batches: number;
  /** Items that it deletes. */
  readonly deletions: number;
  /** Milliseconds between the counters and the lists: see `settling` of the counters. */
  readonly settling: number;
}

/** Contacts that are looked at for the price of one that is written. */
const lookedAt = 20;

/** The work as it is after one more part; undefined if it cannot be done, so that the blocks must be made from the lists. */
type Advanced = Work | undefined;

/** Writes blocks of contacts in the lists, from where the part before ended. */
export async function listPart(
  table: TableReader,
  pipelineId: string,
  work: Work,
  writer: BlockWriter,
  limits: PartLimits,
): Promise<Work> {
  const blocks = [...work.blocks];
  let { stageIds, below } = work;
  for (let [stageId] = stageIds; stageId !== undefined && writer.rows < limits.rows; [stageId] = stageIds) {
    const range = { ...boardRange(stageId, ['all']), ...(below !== undefined && { between: { to: below } }) };
    const waiting: { sk: string; contact: IndexedContact }[] = [];
    const write = async () => {
      const some = waiting.splice(0, limits.blockRows);
      const contacts = some.map(({ contact }) => contact).sort(inBoardOrder);
      blocks.push(...(await writer.write(contacts[0]?.stageId ?? '', contacts)));
      below = some.at(-1)?.sk ?? below;
    };
    for await (const rows of table.rows(range, { consistent: true, descending: true })) {
      const place = { organizationId: table.organizationId, pipelineId, stageId };
      for (const row of rows.filter(({ sk }) => sk !== below)) {
        waiting.push({ sk: row.sk, contact: contactOfRow(row, place) });
      }
      while (waiting.length >= limits.blockRows && writer.rows < limits.rows) {
        await write();
      }
      if (writer.rows >= limits.rows) {
        break;
      }
    }
    if (writer.rows < limits.rows) {
      await write();
      stageIds = stageIds.slice(1);
      below = undefined;
    }
  }
  const { below: _, ...rest } = work;
  return { ...rest, blocks, stageIds, ...(below !== undefined && { below }) };
}

/** A former block, and what changes in it. */
interface Rewriting {
  readonly stored: StoredBlock;
  readonly block: Block;
  readonly gone: Set<number>;
  readonly added: IndexedContact[];
}

/**
 * Writes the blocks in which contacts changed, and leaves all others where they are: it needs the keys of some, and all else of one
 * block at a time.
 */
export async function rewritePart(
  table: TableReader,
  pipelineId: string,
  contents: Contents,
  work: Work,
  writer: BlockWriter,
  limits: PartLimits,
): Promise<Advanced> {
  const contacts = await changedContacts(table, pipelineId, contents, work, limits);
  if (contacts === undefined) {
    return undefined;
  }
  const blocks = [...work.blocks];
  let { stageIds, done = 0 } = work;
  let looked = 0;
  while (stageIds.length > 0 && writer.rows + looked / lookedAt < limits.rows) {
    const [stageId = ''] = stageIds;
    const former = contents.blocks.filter((block) => block.stageId === stageId);
    const chunk = await readKeys(table, pipelineId, former.slice(done, done + limits.chunk + 1));
    if (chunk === undefined) {
      return undefined;
    }
    const [next] = chunk.splice(limits.chunk);
    const [first] = done === 0 ? [] : chunk;
    const added = [...contacts.values()]
      .flatMap(({ contact }) => (contact?.stageId === stageId ? [contact] : []))
      .filter((contact) => beginsAbove(first, contact) !== false && beginsAbove(next, contact) !== true)
      .sort(inBoardOrder);
    noteChanges(chunk, contacts.keys(), added);
    const written = await writeChunk(table, pipelineId, { stageId, chunk, added, limits }, writer);
    if (written === undefined) {
      return undefined;
    }
    blocks.push(...written);
    looked += chunk.reduce((sum, { stored }) => sum + stored.rows, 0);
    done += chunk.length;
    if (next === undefined) {
      stageIds = stageIds.slice(1);
      done = 0;
    }
  }
  return { ...work, blocks, stageIds, done };
}

/** Whether the contact stands below the first one of a block, or is that one; undefined without a block. */
function beginsAbove(rewriting: Rewriting | undefined, contact: IndexedContact): boolean | undefined {
  const keys = rewriting?.block.keys;
  return keys && inBoardOrder({ createdAt: keys.createdAt(0), _id: keys.id(0) }, contact) <= 0;
}

/** The state of every contact that changed, as of the changes of the work or later. */
async function changedContacts(
  table: TableReader,
  pipelineId: string,
  { changes: from }: Contents,
  { changes: to }: Work,
  { batches }: PartLimits,
): Promise<Map<string, ChangedContact> | undefined> {
  const stored = await table.list(changeBatchRange(pipelineId), { limit: 2 * batches });
  const known = new KnownChanges(stored.map(({ data }) => data));
  const changes = known.since(
    from,
    to.map((count, shard) => ({ shard, count, latest: [] })),
  );
  if (changes === undefined) {
    return undefined;
  }
  const contacts = new Map<string, ChangedContact>();
  const unread = changes.filter((change) => {
    const { contactId, version } = change;
    const row = version === 0 ? { version, contact: undefined } : known.row(change);
    if (row !== undefined) {
      contacts.set(contactId, row);
    }
    return row === undefined;
  });
  const records = await readChangedRecords(table, pipelineId, unread);
  for (const [index, { contactId, version }] of unread.entries()) {
    const record = records[index];
    // Its batch has waited for its record: a contact without one was deleted.
    if (record === undefined && (await table.read(contactKey(contactId))) !== undefined) {
      throw unavailable(new Error('The record of a changed contact is not visible yet'));
    }
    const contact = record?.contact && indexedContact(record.contact);
    contacts.set(contactId, { version: record?.version ?? version, contact });
  }
  return contacts;
}

/** The blocks with their keys; undefined if one is missing. */
async function readKeys(
  table: TableReader,
  pipelineId: string,
  stored: readonly StoredBlock[],
): Promise<Rewriting[] | undefined> {
  const keys = stored.map(({ stageId, parts: { keys: id } }) =>
    keyOfPart(pipelineId, { family: 'keys', stageId, id }),
  );
  const items = keys.length === 0 ? [] : await table.readMany(keys);
  const found = items.flatMap((item, index) => {
    const bytes = item?.attributes?.bytes as Uint8Array | undefined;
    const one = stored[index] as StoredBlock;
    return bytes === undefined
      ? []
      : [{ stored: one, block: new Block(one.stageId, bytes), gone: new Set<number>(), added: [] }];
  });
  return found.length === stored.length ? found : undefined;
}

/** Notes the rows that go and the contacts that come, each in the last block that begins above it, or in the first. */
function noteChanges(
  chunk: readonly Rewriting[],
  changed: Iterable<string>,
  added: readonly IndexedContact[],
): void {
  const byBlock = new Map(chunk.map((rewriting) => [rewriting.block, rewriting]));
  const finder = new RowFinder([...byBlock.keys()]);
  for (const contactId of changed) {
    for (const { block, row } of finder.find(contactId)) {
      byBlock.get(block)?.gone.add(row);
    }
  }
  for (const contact of added) {
    const place = chunk.findLast((rewriting) => beginsAbove(rewriting, contact)) ?? chunk[0];
    place?.added.push(contact);
  }
}

/** Undefined if a block is missing. */
async function writeChunk(
  table: TableReader,
  pipelineId: string,
  {
    stageId,
    chunk,
    added,
    limits,
  }: { stageId: string; chunk: readonly Rewriting[]; added: readonly IndexedContact[]; limits: PartLimits },
  writer: BlockWriter,
): Promise<StoredBlock[] | undefined> {
  if (chunk.length === 0) {
    return writer.write(stageId, added);
  }
  const written: StoredBlock[] = [];
  /** Too few for a block of their own: they go into the next one that changes. */
  let few: IndexedContact[] = [];
  for (const { stored, gone, added: more } of chunk) {
    // One of an earlier version is missing families, so that the blocks are made again from the lists.
    const isChanged = gone.size > 0 || more.length > 0 || !isWholeBlock(stored.parts);
    if (!isChanged) {
      written.push(...(await writer.write(stageId, few)), stored);
      few = [];
      continue;
    }
    const packed = await readParts(table, pipelineId, stored);
    if (packed === undefined) {
      return undefined;
    }
    const former = new Block(stageId, packed.keys).addAll(packed);
    const kept = former.rows().filter((_, row) => !gone.has(row));
    const rows = [...few, ...[...kept, ...more].sort(inBoardOrder)];
    if (rows.length < limits.blockRows / 2) {
      few = rows;
      continue;
    }
    const replaced = few.length === 0 ? { stored, packed } : undefined;
    written.push(...(await writer.write(stageId, rows, replaced)));
    few = [];
  }
  return [...written, ...(await writer.write(stageId, few))];
}

/** All families of a block; undefined if one is missing. */
async function readParts(
  table: TableReader,
  pipelineId: string,
  { stageId, parts }: StoredBlock,
): Promise<PackedBlock | undefined> {
  // A block from before one of the families came has no part of it.
  if (!isWholeBlock(parts)) {
    return undefined;
  }
  const records = await table.readMany(
    families.map((family) => keyOfPart(pipelineId, { family, stageId, id: parts[family] })),
  );
  const packed = families.map((family, index) => [family, records[index]?.attributes?.bytes]);
  return packed.some(([, bytes]) => bytes === undefined) ? undefined : Object.fromEntries(packed);
}

function isWholeBlock(parts: StoredBlock['parts']): parts is Record<Family, string> {
  return families.every((family) => parts[family] !== undefined);
}
