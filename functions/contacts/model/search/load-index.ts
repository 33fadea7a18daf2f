import { boardRange } from '../../../../shared/board/card.ts';
import type { BoardCounters, ContactChange } from '../../../../shared/board/counters.ts';
import { contactKey } from '../../../../shared/contacts/contact.ts';
import type { Pipeline } from '../../../../shared/pipelines/pipeline.ts';
import { readAll } from '../../../../shared/table/read-all.ts';
import type { Stored, TableReader } from '../../../../shared/table/table.ts';
import { readCounters } from '../board-counters.ts';
import { contactInRow } from '../board-row.ts';
import { type IndexedContact, indexedContact } from './indexed-contact.ts';
import { type ChangeNumbers, KnownChanges, numbersOf } from './known-changes.ts';
import { SearchIndex } from './search-index.ts';
import { type Group, groups, packedSegment, Segment } from './segment.ts';
import {
  type ChangeBlock,
  type Contents,
  changeBlockRange,
  type Manifest,
  type StoredSegment,
  searchManifestKey,
  searchSegmentRange,
} from './stored-index.ts';

export type IndexedPipeline = Pick<Pipeline, '_id' | 'stages'>;

/** An index as it was loaded: with the changes of these numbers, and maybe with later ones. */
export interface LoadedIndex {
  readonly index: SearchIndex;
  readonly changes: ChangeNumbers;
  readonly known: KnownChanges;
  /** Where the index was loaded from; undefined if from lists. */
  readonly stored: StoredContents | undefined;
}

export interface StoredContents {
  readonly contents: Contents;
  readonly segments: readonly LoadedSegment[];
}

export interface LoadedSegment {
  readonly segment: Segment;
  readonly stored: StoredSegment;
}

/** Contacts of a segment. */
export const segmentRows = 2_000;

/** Fewer contacts than this are quicker to search one by one than to pack. */
const fewestPacked = 200;

/** All contacts of the pipeline. */
export function contactsIn(counters: BoardCounters, { stages }: IndexedPipeline): number {
  return stages.reduce((sum, { _id }) => sum + counters.of(_id).total, 0);
}

/** What says which segments of the pipeline are stored; undefined before its first compaction. */
export function readManifest(table: TableReader, pipelineId: string): Promise<Stored<Manifest> | undefined> {
  return table.read(searchManifestKey(pipelineId));
}

/** The changes since the last compaction. Without `consistent`, those of about the last second may be missing. */
export async function readBlocks(
  table: TableReader,
  pipelineId: string,
  options: { consistent: boolean },
): Promise<ChangeBlock[]> {
  return (await table.list(changeBlockRange(pipelineId), options)).map(({ data }) => data);
}

/** Compactions that may overtake one loading. */
const maxLoadings = 3;

/**
 * Loads the stored segments with these groups; undefined if there are none. What changed since is in `known` as far as its blocks
 * were visible: whoever misses something reads them again.
 */
export async function loadStored(
  table: TableReader,
  pipelineId: string,
  wanted: readonly Group[],
): Promise<LoadedIndex | undefined> {
  for (let loading = 0; loading < maxLoadings; loading += 1) {
    const [manifest, blocks] = await Promise.all([
      readManifest(table, pipelineId),
      readBlocks(table, pipelineId, { consistent: false }),
    ]);
    const contents = manifest?.data.contents;
    if (contents === undefined) {
      return undefined;
    }
    const segments = await loadSegments(table, pipelineId, wanted, contents);
    if (segments !== undefined) {
      return {
        index: new SearchIndex(segments.map(({ segment }) => segment)),
        changes: contents.changes,
        known: new KnownChanges(blocks),
        stored: { contents, segments },
      };
    }
  }
  return undefined;
}

/** Undefined if a later manifest has replaced some of them. */
async function loadSegments(
  table: TableReader,
  pipelineId: string,
  wanted: readonly Group[],
  contents: Contents,
): Promise<LoadedSegment[] | undefined> {
  const packed = new Map<Group, ReadonlyMap<string, Uint8Array> | undefined>(
    await Promise.all(
      [...new Set<Group>(['keys', ...wanted])].map(
        async (group) => [group, await readGroup(table, pipelineId, group, contents.segments)] as const,
      ),
    ),
  );
  const segments: LoadedSegment[] = [];
  for (const stored of contents.segments) {
    const keys = packed.get('keys')?.get(stored.parts.keys);
    if (keys === undefined) {
      return undefined;
    }
    segments.push({ segment: new Segment(stored.stageId, keys), stored });
  }
  for (const group of wanted) {
    if (!addGroup(segments, group, packed.get(group))) {
      return undefined;
    }
  }
  return segments;
}

/** Adds a group that was not needed until now. False if a later manifest has replaced the segments. */
export async function loadGroup(
  table: TableReader,
  pipelineId: string,
  group: Group,
  { contents, segments }: StoredContents,
): Promise<boolean> {
  return addGroup(segments, group, await readGroup(table, pipelineId, group, contents.segments));
}

function addGroup(
  segments: readonly LoadedSegment[],
  group: Group,
  packed: ReadonlyMap<string, Uint8Array> | undefined,
): boolean {
  for (const { segment, stored } of segments) {
    const bytes = packed?.get(stored.parts[group]);
    if (bytes === undefined) {
      return false;
    }
    if (!segment.has(group)) {
      segment.add(group, bytes);
    }
  }
  return true;
}

/**
 * A group of all segments, by the id of its item. Items never change, so they are read at half the price; one that is not visible yet
 * is read again. Undefined if one is missing.
 */
export async function readGroup(
  table: TableReader,
  pipelineId: string,
  group: Group,
  segments: readonly StoredSegment[],
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const found = new Map<string, Uint8Array>();
  const byStage = Map.groupBy(segments, ({ stageId }) => stageId);
  const areComplete = await Promise.all(
    [...byStage].map(async ([stageId, own]) => {
      for (const consistent of [false, true]) {
        const range = searchSegmentRange(pipelineId, group, stageId);
        for (const { key, attributes } of await table.list(range, { consistent })) {
          found.set(key.sort.at(-1) ?? '', attributes?.bytes as Uint8Array);
        }
        if (own.every(({ parts }) => found.has(parts[group]))) {
          return true;
        }
      }
      return false;
    }),
  );
  return areComplete.every(Boolean) ? found : undefined;
}

/** More contacts than a request has the time to pack. */
const maxListed = 150_000;

/**
 * Reads every card of the lists of all contacts; undefined if they are too many, or change at this moment. The counters are read before, so
 * that every change since is known or found missing. Of a change that they show, the card may become visible a little later: so the
 * contacts that changed last are read themselves, in a version that is not older.
 */
export async function loadLists(
  table: TableReader,
  pipeline: IndexedPipeline,
): Promise<LoadedIndex | undefined> {
  const counters = await readCounters(table, pipeline._id);
  if (contactsIn(counters, pipeline) > maxListed) {
    return undefined;
  }
  const changed = latestContacts(table, counters);
  const byStage = await Promise.all(
    pipeline.stages.map(async ({ _id: stageId }) => {
      const segments: Segment[] = [];
      let few: IndexedContact[] = [];
      for await (const rows of listedContacts(table, pipeline, stageId)) {
        if (rows.length < fewestPacked) {
          few = rows;
        } else {
          segments.push(segmentOf(stageId, rows));
        }
      }
      return { segments, few };
    }),
  );
  const index = new SearchIndex(byStage.flatMap(({ segments }) => segments));
  for (const contact of byStage.flatMap(({ few }) => few)) {
    index.put(contact, 0);
  }
  for (const { contactId, version, record } of await changed) {
    if ((record?.version ?? 0) < version) {
      return undefined;
    }
    // A deleted contact stays so, even if its record is still visible.
    if (version > 0 && record?.data.pipelineId === pipeline._id) {
      index.put(indexedContact(record.data), record.version);
    } else {
      index.remove(contactId, version > 0 && record ? record.version : Number.POSITIVE_INFINITY);
    }
  }
  return {
    index,
    changes: numbersOf(counters.changes()),
    known: new KnownChanges([]),
    stored: undefined,
  };
}

/** The contacts that changed last as far as the counters remember, each with its record, which a deleted one has no more. */
async function latestContacts(table: TableReader, counters: BoardCounters) {
  const changes = counters.changes().flatMap(({ latest }) => latest);
  const last = [...Map.groupBy(changes, ({ contactId }) => contactId).values()].map(
    ([newest]) => newest as ContactChange,
  );
  const records = await readAll(
    table,
    last.map(({ contactId }) => contactKey(contactId)),
  );
  return last.map((change, index) => ({ ...change, record: records[index] }));
}

/** The contacts of a stage as its list has them, in board order, as many at a time as a segment has; the last may be fewer. */
export async function* listedContacts(
  table: TableReader,
  { _id }: IndexedPipeline,
  stageId: string,
): AsyncIterable<IndexedContact[]> {
  const place = {
    organizationId: table.organizationId,
    pipeline: { _id, type: 'Contact' as const },
    stage: { _id: stageId },
  };
  let waiting: IndexedContact[] = [];
  const options = { consistent: true, descending: true };
  for await (const batch of table.rows(boardRange(stageId, ['all']), options)) {
    waiting.push(...batch.map((row) => indexedContact(contactInRow(row, place))));
    while (waiting.length >= segmentRows) {
      yield waiting.slice(0, segmentRows);
      waiting = waiting.slice(segmentRows);
    }
  }
  if (waiting.length > 0) {
    yield waiting;
  }
}

function segmentOf(stageId: string, rows: readonly IndexedContact[]): Segment {
  const packed = packedSegment(rows);
  const segment = new Segment(stageId, packed.keys);
  for (const group of groups) {
    segment.add(group, packed[group]);
  }
  return segment;
}
