import { readCounters, settling } from '../contact-aggregate/counters.ts';
import { minute } from '../kernel/time.ts';
import { pause } from '../table/backoff.ts';
import { keyParts } from '../table/key.ts';
import { type Stored, type TableWriter, VersionConflict } from '../table/table.ts';
import { BlockWriter, deleteWritten, storedParts } from './block-writer.ts';
import { listPart, type PartLimits, rewritePart } from './compaction-parts.ts';
import { changeNumbers, KnownChanges } from './known-changes.ts';
import { blockRows } from './load-lists.ts';
import { contactsIn, type IndexedPipeline, readManifest } from './load-stored.ts';
import {
  type Contents,
  changeBatchRange,
  type DiscardedPart,
  fewestStored,
  isErasing,
  keyOfPart,
  type Manifest,
  type StoredBlock,
  searchManifestKey,
  searchRange,
  searchSummaryKey,
  type Work,
} from './stored-index.ts';

export type { PartLimits } from './compaction-parts.ts';

/** A part takes some seconds of the 30 that its function has. */
export const usualLimits: PartLimits = {
  fewest: fewestStored / 2,
  rows: 40_000,
  blockRows,
  chunk: 20,
  batches: 100,
  deletions: 1_000,
  settling,
};

/** After this time, whoever took a part has ended: its function has 30 seconds. */
const attemptTime = minute;

/** What a message asks for: to begin with something, unless work is under way, or else only to go on with it. */
export type Begin = 'compaction' | 'listing';

/**
 * `done`: nothing is left to do. `stale`: likewise, but contacts that left the pipeline since the work began are still in the blocks. `busy`:
 * somebody else does the part. Otherwise another part follows, which is to begin with this.
 */
export type Outcome = 'done' | 'stale' | 'busy' | { readonly begin?: Begin };

export interface PartContext {
  readonly table: TableWriter;
  readonly pipeline: IndexedPipeline;
  readonly now: Date;
  newId(): string;
  readonly limits: PartLimits;
}

/**
 * Does one part of what a pipeline's index needs: blocks from the lists where there are none yet or where they cannot be followed, the
 * changes in batches into the blocks, and the deletion of what these replace. Ended at any point, done twice or by two at once, it leaves an
 * index that is right, and the next part deletes what it leaves behind.
 */
export async function compactPart(context: PartContext, begin?: Begin): Promise<Outcome> {
  const { table, pipeline } = context;
  const counters = await readCounters(table, pipeline._id);
  if (contactsIn(counters, pipeline) < context.limits.fewest) {
    return discardPart(context);
  }
  const stored = await readManifest(table, pipeline._id);
  const manifest = stored?.data ?? { discarded: [] };
  try {
    const work = manifest.work ?? (begin && (await plannedWork(context, manifest, begin)));
    return work === undefined
      ? await clearUp(context, stored)
      : await workOn(context, { stored, manifest, work });
  } catch (error) {
    if (error instanceof VersionConflict) {
      // If the index was deleted meanwhile, the next part deletes what this one wrote.
      return (await readManifest(table, pipeline._id)) === undefined ? {} : 'busy';
    }
    throw error;
  }
}

/** Deletes everything of a pipeline's index, but for these kinds of items; at most so many. False if there is more. */
export async function discardIndex(
  table: TableWriter,
  pipelineId: string,
  { kept = [], most = Number.POSITIVE_INFINITY }: { kept?: readonly string[]; most?: number } = {},
): Promise<boolean> {
  const range = searchRange(pipelineId);
  let left = most;
  for await (const rows of table.rows(range, { consistent: true })) {
    const sorts = rows.map(({ sk }) => keyParts(sk)).filter(([kind = '']) => !kept.includes(kind));
    await table.deleteMany(sorts.slice(0, left).map((sort) => ({ partition: range.partition, sort })));
    left -= sorts.length;
    if (left <= 0) {
      return false;
    }
  }
  return true;
}

/** Deletes what the index of a pipeline has that is not large any more: first what says that there is one. */
async function discardPart({ table, pipeline, limits }: PartContext): Promise<Outcome> {
  await table.deleteMany([searchManifestKey(pipeline._id), searchSummaryKey(pipeline._id)]);
  return (await discardIndex(table, pipeline._id, { most: limits.deletions })) ? 'done' : {};
}

/** What is to be done; undefined if nothing is. */
async function plannedWork(
  context: PartContext,
  { contents }: Manifest,
  begin: Begin,
): Promise<Work | undefined> {
  const { table, pipeline, limits } = context;
  if (contents === undefined || begin === 'listing') {
    return plannedListing(context, contents);
  }
  const batches = await table.list(changeBatchRange(pipeline._id), { limit: limits.batches });
  const changes = new KnownChanges(batches.map(({ data }) => data)).reached(contents.changes);
  if (changes === undefined) {
    return plannedListing(context, contents);
  }
  if (changes.every((number, shard) => number === contents.changes[shard])) {
    return undefined;
  }
  const stageIds = [...pipeline.stages.map(({ _id }) => _id), ...contents.blocks.map((one) => one.stageId)];
  return { isListing: false, blocks: [], changes, stageIds: [...new Set(stageIds)], attempts: [] };
}

/**
 * Changes that the counters count now are in the lists a moment later. Those of the time until the last list is read may be in the blocks or
 * not: they are in batches.
 */
async function plannedListing(
  { table, pipeline, limits }: PartContext,
  contents: Contents | undefined,
): Promise<Work> {
  if (contents === undefined) {
    // An index of the first form, which nobody reads, may hold contacts that were deleted since.
    await discardIndex(table, pipeline._id, { kept: ['INDEX', 'CHANGES', 'SUMMARY'] });
  }
  const counters = await readCounters(table, pipeline._id);
  const changes = changeNumbers(counters.changes());
  if (contents === undefined) {
    // From now on the reader of the stream asks as rarely as for an index that there is.
    const contacts = contactsIn(counters, pipeline);
    await table.commit([table.put(searchSummaryKey(pipeline._id), { changes, contacts })]);
  }
  await pause(limits.settling);
  const stageIds = pipeline.stages.map(({ _id }) => _id);
  return { isListing: true, blocks: [], changes, stageIds, attempts: [] };
}

interface Found {
  readonly stored: Stored<Manifest> | undefined;
  readonly manifest: Manifest;
  readonly work: Work;
}

async function workOn(context: PartContext, { stored, manifest, work }: Found): Promise<Outcome> {
  const { table, pipeline, now, newId, limits } = context;
  const last = work.attempts.at(-1);
  if (last !== undefined && now.getTime() - last.at < attemptTime) {
    return 'busy';
  }
  const id = newId();
  const attempts = [...work.attempts, { id, at: now.getTime() }];
  const claimed = await replaceManifest(context, stored, { ...manifest, work: { ...work, attempts } });
  for (const { id } of work.attempts) {
    await deleteWritten(table, pipeline._id, work.stageIds, id);
  }
  const writer = new BlockWriter(table, pipeline._id, id, limits.blockRows);
  const advanced =
    work.isListing || manifest.contents === undefined
      ? await listPart(table, pipeline._id, work, writer, limits)
      : await rewritePart(table, pipeline._id, manifest.contents, work, writer, limits);
  if (advanced !== undefined && advanced.stageIds.length > 0) {
    await replaceManifest(context, claimed, { ...manifest, work: { ...advanced, attempts: [] } });
    return {};
  }
  return (
    (advanced && (await finish(context, claimed, advanced))) ??
    startAgain(context, claimed, [...storedParts(work.blocks), ...writer.written])
  );
}

/** Makes the blocks of the work the contents; undefined if they do not have as many contacts as the counters say. */
async function finish(
  { table, pipeline, now }: PartContext,
  claimed: Stored<Manifest>,
  { blocks, changes, isListing }: Work,
): Promise<Outcome | undefined> {
  const counters = await readCounters(table, pipeline._id);
  const shards = counters.changes();
  const rowsIn = (stageId: string) =>
    blocks.reduce((sum, block) => sum + (block.stageId === stageId ? block.rows : 0), 0);
  const isPresent = shards.every(({ shard, count }) => count === changes[shard]);
  if (!isListing && isPresent && pipeline.stages.some(({ _id }) => rowsIn(_id) !== counters.of(_id).total)) {
    return undefined;
  }
  const { contents: former, discarded } = claimed.data;
  const replaced = unnamedParts(storedParts(former?.blocks ?? []), blocks);
  const contents = { blocks, changes, builtAt: now.getTime() };
  const contacts = blocks.reduce((sum, { rows }) => sum + rows, 0);
  await table.commit([
    table.replace(claimed, { contents, discarded: [...discarded, ...replaced] }),
    table.put(searchSummaryKey(pipeline._id), { changes, contacts }),
  ]);
  const isImported = shards.some(
    ({ shard, count, latest }) => latest.length === 0 && count > (changes[shard] ?? 0),
  );
  return isImported ? { begin: 'listing' } : {};
}

/** Gives up what was done so far, and makes the blocks from the lists. */
async function startAgain(
  context: PartContext,
  claimed: Stored<Manifest>,
  written: readonly DiscardedPart[],
): Promise<Outcome> {
  const { contents, discarded } = claimed.data;
  const unused = unnamedParts(written, contents?.blocks ?? []);
  const work = await plannedListing(context, contents);
  await replaceManifest(context, claimed, { ...claimed.data, work, discarded: [...discarded, ...unused] });
  return {};
}

/** Those of the parts that these blocks do not have. */
function unnamedParts(parts: readonly DiscardedPart[], blocks: readonly StoredBlock[]): DiscardedPart[] {
  const kept = new Set(storedParts(blocks).map(({ family, id }) => `${family} ${id}`));
  return parts.filter(({ family, id }) => !kept.has(`${family} ${id}`));
}

/** Deletes what the contents do not name any more, and batches whose changes are in the blocks. */
async function clearUp(context: PartContext, stored: Stored<Manifest> | undefined): Promise<Outcome> {
  const { table, pipeline, limits } = context;
  const { contents, discarded } = stored?.data ?? {};
  if (stored === undefined || contents === undefined || discarded === undefined) {
    return 'done';
  }
  const some = discarded.slice(0, limits.deletions);
  await table.deleteMany(some.map((part) => keyOfPart(pipeline._id, part)));
  const batches = await table.list(changeBatchRange(pipeline._id), { limit: limits.batches });
  const done = batches.filter(({ data }) =>
    data.changes.every(([shard, number]) => number <= (contents.changes[shard] ?? 0)),
  );
  await table.deleteMany(done.map(({ key }) => key));
  if (some.length > 0) {
    await replaceManifest(context, stored, { contents, discarded: discarded.slice(some.length) });
  }
  if (some.length + done.length > 0) {
    return {};
  }
  // Each batch that is left has changes that are not in the blocks: so many are too many to wait for the next ones.
  const outcome = batches.some(({ data }) => isErasing(data)) ? 'stale' : 'done';
  return batches.length < limits.batches ? outcome : { begin: 'compaction' };
}

/** @throws `VersionConflict` when somebody else has written it since. */
async function replaceManifest(
  { table, pipeline }: PartContext,
  stored: Stored<Manifest> | undefined,
  data: Manifest,
): Promise<Stored<Manifest>> {
  const key = searchManifestKey(pipeline._id);
  await table.commit([stored === undefined ? table.add(key, data) : table.replace(stored, data)]);
  return { key, data, version: (stored?.version ?? 0) + 1 };
}
