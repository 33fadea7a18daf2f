import { chunks } from '../../../../shared/kernel/chunks.ts';
import { forEachConcurrently } from '../../../../shared/kernel/for-each-concurrently.ts';
import { minute } from '../../../../shared/kernel/time.ts';
import { unavailable } from '../../../../shared/kernel/transient-errors.ts';
import { partsOf as partsOfKey } from '../../../../shared/table/key.ts';
import { type Stored, type TableWriter, VersionConflict } from '../../../../shared/table/table.ts';
import { readCounters } from '../board-counters.ts';
import { numbersOf } from './known-changes.ts';
import { type IndexedPipeline, listedContacts } from './load-index.ts';
import { rewrittenSegments } from './rewritten-segments.ts';
import { type Group, groups } from './segment.ts';
import { SegmentWriter } from './segment-writer.ts';
import {
  type ChangeBlock,
  type Contents,
  changeBlockRange,
  type DiscardedPart,
  type Manifest,
  type StoredSegment,
  searchBacklogKey,
  searchManifestKey,
  searchRange,
  searchSegmentKey,
  searchSegmentRange,
} from './stored-index.ts';

/** A compaction that has not ended by then has been interrupted: its function has 30 seconds. */
const claimTime = minute;

/** Items deleted in one transaction: few enough for its limit of 4 MB. */
const actionsAtOnce = 8;

/** Transactions at the same time. */
const width = 4;

/**
 * Writes the changes in blocks into the segments, and segments from the lists where there are none yet or where they cannot be followed.
 * Does nothing while another compaction is at work. Interrupted at any point, it leaves an index that is right, and the next one deletes
 * what it leaves behind.
 * @returns false if another compaction was at work.
 */
export async function compact(
  table: TableWriter,
  pipeline: IndexedPipeline,
  { now, newId }: { now: Date; newId(): string },
): Promise<boolean> {
  const claimed = await claim(table, pipeline, { id: newId(), at: now.getTime() });
  if (claimed === undefined) {
    return false;
  }
  const { manifest, interrupted } = claimed;
  const { contents: former, discarded, claim: { id = '' } = {} } = manifest.data;
  await deleteParts(table, pipeline, [
    ...discarded,
    ...(interrupted === undefined ? [] : await partsOfCompaction(table, pipeline, interrupted)),
  ]);
  const writer = new SegmentWriter(table, pipeline._id, id);
  const blocks = await table.list(changeBlockRange(pipeline._id));
  const contents =
    (former && (await rewritten(table, pipeline, former, blocks, writer, now))) ??
    (await fromLists(table, pipeline, writer, now));
  const placeOf = ({ group, id }: DiscardedPart) => `${group} ${id}`;
  const kept = new Set(partsOf(contents.segments).map(placeOf));
  const replaced = [...partsOf(former?.segments ?? []), ...writer.written].filter(
    (part) => !kept.has(placeOf(part)),
  );
  try {
    await table.commit([table.replace(manifest, { contents, discarded: replaced })]);
  } catch (error) {
    if (!(error instanceof VersionConflict)) {
      throw error;
    }
    // Another one took this for interrupted. Its segments count.
    await deleteParts(table, pipeline, writer.written);
    return false;
  }
  await finish(table, pipeline, { contents, replaced, blocks, version: manifest.version + 1 });
  return true;
}

/** Deletes everything of a pipeline's index. */
export async function discardIndex(table: TableWriter, pipelineId: string): Promise<void> {
  const range = searchRange(pipelineId);
  for await (const rows of table.rows(range, { consistent: true })) {
    await inTransactions(
      table,
      rows.map(({ sk }) => table.delete({ partition: range.partition, sort: partsOfKey(sk) })),
    );
  }
}

/** Takes the pipeline, so that two compactions do not do the same work. Undefined if another one has it. */
async function claim(
  table: TableWriter,
  { _id }: IndexedPipeline,
  claim: { id: string; at: number },
): Promise<{ manifest: Stored<Manifest>; interrupted: string | undefined } | undefined> {
  const key = searchManifestKey(_id);
  const stored = await table.read(key);
  const other = stored?.data.claim;
  if (other !== undefined && claim.at - other.at < claimTime) {
    return undefined;
  }
  const data: Manifest = { discarded: [], ...stored?.data, claim };
  try {
    await table.commit([stored === undefined ? table.add(key, data) : table.replace(stored, data)]);
  } catch (error) {
    if (error instanceof VersionConflict) {
      return undefined;
    }
    throw error;
  }
  return { manifest: { key, data, version: (stored?.version ?? 0) + 1 }, interrupted: other?.id };
}

/** The contents with all changes that are known; undefined if some are not, or if the result does not have the contacts that are counted. */
async function rewritten(
  table: TableWriter,
  pipeline: IndexedPipeline,
  former: Contents,
  blocks: readonly Stored<ChangeBlock>[],
  writer: SegmentWriter,
  now: Date,
): Promise<Contents | undefined> {
  const result = await rewrittenSegments(
    table,
    pipeline,
    former,
    blocks.map(({ data }) => data),
    writer,
  );
  return result && { ...result, builtAt: now.getTime() };
}

/** Segments of all contacts in the lists, with at least the changes that the counters count before. */
async function fromLists(
  table: TableWriter,
  pipeline: IndexedPipeline,
  writer: SegmentWriter,
  now: Date,
): Promise<Contents> {
  const counters = await readCounters(table, pipeline._id);
  const segments: StoredSegment[] = [];
  for (const { _id } of pipeline.stages) {
    for await (const rows of listedContacts(table, pipeline, _id)) {
      segments.push(...(await writer.write(_id, rows)));
    }
  }
  return { segments, changes: numbersOf(counters.changes()), builtAt: now.getTime() };
}

/** Deletes what the new contents replace. */
async function finish(
  table: TableWriter,
  pipeline: IndexedPipeline,
  {
    contents,
    replaced,
    blocks,
    version,
  }: {
    contents: Contents;
    replaced: readonly DiscardedPart[];
    blocks: readonly Stored<ChangeBlock>[];
    version: number;
  },
): Promise<void> {
  const done = blocks.filter(({ data }) =>
    data.changes.every(([shard, number]) => number <= (contents.changes[shard] ?? 0)),
  );
  await inTransactions(
    table,
    done.map(({ key }) => table.delete(key)),
  );
  await deleteParts(table, pipeline, replaced);
  const rows = done.reduce((sum, { data }) => sum + data.changes.length, 0);
  const built = contents.segments.reduce((sum, segment) => sum + segment.rows, 0);
  // A transaction, so that rows are taken off once even if the response is lost.
  await table.commit([
    table.updateAction(searchBacklogKey(pipeline._id), {
      update: 'SET built = :built ADD backlog :rows',
      values: { built, rows: -rows },
    }),
  ]);
  if (replaced.length > 0) {
    const manifest = {
      key: searchManifestKey(pipeline._id),
      data: { contents, discarded: replaced },
      version,
    };
    await table
      .commit([table.replace<Manifest>(manifest, { contents, discarded: [] })])
      .catch(ignoreConflict);
  }
}

/** The next compaction has begun already, and deletes once more what is deleted. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof VersionConflict)) {
    throw error;
  }
}

const partsOf = (segments: readonly StoredSegment[]): DiscardedPart[] =>
  segments.flatMap(({ stageId, parts }) => groups.map((group) => ({ group, stageId, id: parts[group] })));

/** What an interrupted compaction has written. */
async function partsOfCompaction(
  table: TableWriter,
  { _id, stages }: IndexedPipeline,
  compactionId: string,
): Promise<DiscardedPart[]> {
  const found: DiscardedPart[] = [];
  const ranges = stages.flatMap((stage) => groups.map((group) => ({ group, stageId: stage._id })));
  for (const { group, stageId } of ranges) {
    for (const { key } of await table.list(searchSegmentRange(_id, group, stageId))) {
      const id = key.sort.at(-1) ?? '';
      if (id.startsWith(compactionId)) {
        found.push({ group, stageId, id });
      }
    }
  }
  return found;
}

function deleteParts(
  table: TableWriter,
  { _id }: IndexedPipeline,
  parts: readonly DiscardedPart[],
): Promise<void> {
  const deletion = ({ group, stageId, id }: { group: Group; stageId: string; id: string }) =>
    table.delete(searchSegmentKey(_id, group, stageId, id));
  return inTransactions(table, parts.map(deletion));
}

async function inTransactions(
  table: TableWriter,
  actions: readonly ReturnType<TableWriter['delete']>[],
): Promise<void> {
  const [failure] = await forEachConcurrently(chunks(actions, actionsAtOnce), width, (some) =>
    table.commit(some),
  );
  if (failure !== undefined) {
    throw failure instanceof Error ? failure : unavailable(failure);
  }
}
