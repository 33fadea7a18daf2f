import { hour, minute } from '../kernel/time.ts';
import { keyParts as partsOfKey } from '../table/key.ts';
import { type Stored, type TableWriter, VersionConflict } from '../table/table.ts';
import { BlockWriter } from './block-writer.ts';
import type { IndexedPipeline } from './load-stored.ts';
import { buildListedBlocks, rewriteBlocks } from './rewritten-blocks.ts';
import {
  type ChangeBatch,
  type Claim,
  type Contents,
  changeBatchRange,
  type DiscardedPart,
  type Manifest,
  searchBacklogKey,
  searchManifestKey,
  searchRange,
} from './stored-index.ts';
import { deleteInTransactions, deleteParts, readPartsBeside, storedParts } from './stored-parts.ts';

/**
 * A compaction that has not ended by then has been interrupted: its function has 30 seconds. Each further one of the same pipeline that is
 * interrupted makes the next one wait four times as long: it may be too much work for the function, and meanwhile the changes of all
 * organizations wait.
 */
const claimTime = { first: minute, factor: 4, longest: hour };

/** How long a pipeline stays with a compaction that has not ended. */
function claimTimeOf({ interruptions = 0 }: Claim): number {
  return Math.min(claimTime.longest, claimTime.first * claimTime.factor ** interruptions);
}

/**
 * Writes the changes in batches into the blocks, and blocks from the lists where there are none yet or where they cannot be followed.
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
  const { manifest, isInterrupted } = claimed;
  const { contents: former, discarded, claim: { id = '' } = {} } = manifest.data;
  await deleteParts(table, pipeline, [
    ...discarded,
    ...(isInterrupted ? await readPartsBeside(table, pipeline, former?.blocks ?? []) : []),
  ]);
  if (former === undefined) {
    // An index of the first form, which nobody reads, may hold contacts that were deleted since.
    await discardIndex(table, pipeline._id, ['INDEX', 'CHANGES', 'BACKLOG', 'COMPACTION']);
  }
  const writer = new BlockWriter(table, pipeline._id, id);
  const batches = await table.list(changeBatchRange(pipeline._id));
  const changes = batches.map(({ data }) => data);
  const blocks =
    (former && (await rewriteBlocks(table, pipeline, former, changes, writer))) ??
    (await buildListedBlocks(table, pipeline, writer));
  const contents: Contents = { ...blocks, builtAt: now.getTime() };
  const placeOf = ({ family, id }: DiscardedPart) => `${family} ${id}`;
  const kept = new Set(storedParts(contents.blocks).map(placeOf));
  const replaced = [...storedParts(former?.blocks ?? []), ...writer.written].filter(
    (part) => !kept.has(placeOf(part)),
  );
  try {
    await table.commit([table.replace(manifest, { contents, discarded: replaced })]);
  } catch (error) {
    if (!(error instanceof VersionConflict)) {
      throw error;
    }
    // Another one took this for interrupted. Its blocks count.
    await deleteParts(table, pipeline, writer.written);
    return false;
  }
  await finish(table, pipeline, { contents, replaced, batches, version: manifest.version + 1 });
  return true;
}

/** Deletes everything of a pipeline's index, but for these kinds of items. */
export async function discardIndex(
  table: TableWriter,
  pipelineId: string,
  kept: readonly string[] = [],
): Promise<void> {
  const range = searchRange(pipelineId);
  for await (const rows of table.rows(range, { consistent: true })) {
    const sorts = rows.map(({ sk }) => partsOfKey(sk)).filter(([kind = '']) => !kept.includes(kind));
    await deleteInTransactions(
      table,
      sorts.map((sort) => table.delete({ partition: range.partition, sort })),
    );
  }
}

/** Takes the pipeline, so that two compactions do not do the same work. Undefined if another one has it. */
async function claim(
  table: TableWriter,
  { _id }: IndexedPipeline,
  claim: Claim,
): Promise<{ manifest: Stored<Manifest>; isInterrupted: boolean } | undefined> {
  const key = searchManifestKey(_id);
  const stored = await table.read(key);
  const other = stored?.data.claim;
  if (other !== undefined && claim.at - other.at < claimTimeOf(other)) {
    return undefined;
  }
  const interruptions = other === undefined ? 0 : (other.interruptions ?? 0) + 1;
  const data: Manifest = { discarded: [], ...stored?.data, claim: { ...claim, interruptions } };
  try {
    await table.commit([stored === undefined ? table.add(key, data) : table.replace(stored, data)]);
  } catch (error) {
    if (error instanceof VersionConflict) {
      return undefined;
    }
    throw error;
  }
  return { manifest: { key, data, version: (stored?.version ?? 0) + 1 }, isInterrupted: other !== undefined };
}

/** Deletes what the new contents replace. */
async function finish(
  table: TableWriter,
  pipeline: IndexedPipeline,
  {
    contents,
    replaced,
    batches,
    version,
  }: {
    contents: Contents;
    replaced: readonly DiscardedPart[];
    batches: readonly Stored<ChangeBatch>[];
    version: number;
  },
): Promise<void> {
  const done = batches.filter(({ data }) =>
    data.changes.every(([shard, number]) => number <= (contents.changes[shard] ?? 0)),
  );
  await deleteInTransactions(
    table,
    done.map(({ key }) => table.delete(key)),
  );
  await deleteParts(table, pipeline, replaced);
  const rows = done.reduce((sum, { data }) => sum + data.changes.length, 0);
  const built = contents.blocks.reduce((sum, block) => sum + block.rows, 0);
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
