import { readCounters } from '../../../../../shared/contact-aggregate/counters.ts';
import { unavailable } from '../../../../../shared/kernel/transient-errors.ts';
import type { TableReader, TableWriter } from '../../../../../shared/table/table.ts';
import { changedRecords } from '../changes/changed-contacts.ts';
import { type ChangeNumbers, KnownChanges } from '../changes/known-changes.ts';
import { RowFinder } from '../index/row-finder.ts';
import type { ChangedContact } from '../index/search-index.ts';
import { type IndexedContact, inBoardOrder, indexedContact } from '../indexed-contact.ts';
import { readGroup } from '../loading/load-stored.ts';
import type { IndexedPipeline } from '../loading/loaded-index.ts';
import { groups, type PackedSegment } from '../segments/packed-segment.ts';
import { Segment } from '../segments/segment.ts';
import { type ChangeBlock, type Contents, type StoredSegment, searchSegmentKey } from '../stored-index.ts';
import type { SegmentWriter } from './segment-writer.ts';

/** Segments that are smaller than this take in the next one that changes too. */
const fewestRows = 1_000;

/** A segment, and what changes in it. */
interface Rewriting {
  readonly stored: StoredSegment;
  readonly segment: Segment;
  readonly gone: Set<number>;
  readonly added: IndexedContact[];
}

/**
 * Writes the segments in which contacts changed, and leaves all others where they are: it needs the keys of all, and all else of one
 * segment at a time. Undefined if some changes are not known, or if the result does not have as many contacts as the counters say.
 */
export async function rewrittenSegments(
  table: TableWriter,
  pipeline: IndexedPipeline,
  { segments, changes: from }: Contents,
  blocks: readonly ChangeBlock[],
  writer: SegmentWriter,
): Promise<Omit<Contents, 'builtAt'> | undefined> {
  const counters = await readCounters(table, pipeline._id);
  const [changes, keys] = await Promise.all([
    changedContacts(table, pipeline, from, counters.changes(), new KnownChanges(blocks)),
    readGroup(table, pipeline._id, 'keys', segments),
  ]);
  if (changes === undefined || keys === undefined) {
    return undefined;
  }
  const all = segments.map((stored): Rewriting => {
    const segment = new Segment(stored.stageId, keys.get(stored.parts.keys) as Uint8Array);
    return { stored, segment, gone: new Set(), added: [] };
  });
  const rewritings = withChanges(all, changes.contacts);
  const result: StoredSegment[] = [];
  const stageIds = new Set([...pipeline.stages.map(({ _id }) => _id), ...rewritings.keys()]);
  for (const stageId of stageIds) {
    const { known = [], added = [] } = rewritings.get(stageId) ?? {};
    const written = await writeStage(table, pipeline._id, { stageId, known, added }, writer);
    const rows = written.reduce((sum, segment) => sum + segment.rows, 0);
    if (changes.isPresent && rows !== counters.of(stageId).total) {
      return undefined;
    }
    result.push(...written);
  }
  return { segments: result, changes: changes.numbers };
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
  const records = await changedRecords(table, _id, unread);
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
  /** Contacts of a stage without segments. */
  readonly added: IndexedContact[];
}

/** The segments by stage, with the rows that go and the contacts that come. */
function withChanges(
  all: readonly Rewriting[],
  contacts: ReadonlyMap<string, ChangedContact>,
): Map<string, StageRewriting> {
  const stages = new Map<string, StageRewriting>();
  for (const [stageId, known] of Map.groupBy(all, ({ stored }) => stored.stageId)) {
    stages.set(stageId, { known, added: [] });
  }
  const bySegment = new Map(all.map((rewriting) => [rewriting.segment, rewriting]));
  const finder = new RowFinder(all.map(({ segment }) => segment));
  for (const [contactId, { contact }] of contacts) {
    for (const { segment, row } of finder.find(contactId)) {
      bySegment.get(segment)?.gone.add(row);
    }
    if (contact !== undefined) {
      const { stageId } = contact;
      const stage = stages.get(stageId) ?? { known: [], added: [] };
      stages.set(stageId, stage);
      (segmentFor(stage.known, contact)?.added ?? stage.added).push(contact);
    }
  }
  return stages;
}

/** The segment in which a contact's place is: the last one that begins above it, or the first. */
function segmentFor(known: readonly Rewriting[], contact: IndexedContact): Rewriting | undefined {
  const begins = known.findLast(({ segment: { keys } }) => {
    const first = { createdAt: keys.createdAt(0), _id: keys.id(0) };
    return inBoardOrder(first, contact) <= 0;
  });
  return begins ?? known[0];
}

async function writeStage(
  table: TableReader,
  pipelineId: string,
  { stageId, known, added }: StageRewriting & { readonly stageId: string },
  writer: SegmentWriter,
): Promise<StoredSegment[]> {
  const written: StoredSegment[] = await writer.write(stageId, added.toSorted(inBoardOrder));
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
    const former = new Segment(stageId, packed.keys).addAll(packed).rows();
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

/** All groups of a segment. */
async function readParts(
  table: TableReader,
  pipelineId: string,
  { stageId, parts }: StoredSegment,
): Promise<PackedSegment> {
  const records = await table.readMany(
    groups.map((group) => searchSegmentKey(pipelineId, group, stageId, parts[group])),
  );
  const packed = groups.map((group, index) => {
    const bytes = records[index]?.attributes?.bytes;
    if (bytes === undefined) {
      throw unavailable(new Error('A segment is missing'));
    }
    return [group, bytes];
  });
  return Object.fromEntries(packed) as PackedSegment;
}
