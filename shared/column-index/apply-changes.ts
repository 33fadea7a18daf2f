import {
  boardCounterRange,
  type ContactChange,
  counterShards,
  isCount,
  latestChanges,
} from '../contact-aggregate/counters.ts';
import { readPipelines } from '../contacts/pipeline.ts';
import { Failure } from '../kernel/failure.ts';
import type { ClockAndIds } from '../kernel/operation.ts';
import { remember } from '../kernel/remember.ts';
import type { TableChange } from '../kernel/trigger.ts';
import { keyParts } from '../table/key.ts';
import { organizationIn } from '../table/spaces.ts';
import type { TableWriter } from '../table/table.ts';
import { keyOfIndex } from './cached-index.ts';
import { type NumberedChange, readChangeBatches } from './change-batches.ts';
import { isErasing, staleIndexKey } from './request-compactions.ts';
import { changeBatchKey, fewestStored, searchBacklogKey } from './stored-index.ts';

/** Changes in batches from which they are written into the blocks: at least so many, and this share of the contacts up to a limit. */
const compactionFrom = { rows: 400, share: 1 / 100, most: 5_000 };

/** Contacts of the largest pipeline that gets an index: to write it for the first time, a function has 30 seconds. */
const maxStored = 300_000;

/** Loaded late: few changes need it, and it is much of what the readers of the stream would load. */
const compaction = () => import('./compaction.ts');

/** Shards whose last change a warm process remembers. */
const capacity = 10_000;

const lastNumbers = new Map<string, number>();

/** Rows that a process writes before it counts them: so hardly any change costs a write of the counter. */
const countedTogether = 10;

/** A pipeline's batches, as far as a process knows them. */
interface KnownBatches {
  /** Their rows that are not counted yet. */
  readonly uncounted: number;
  /** Whether there were blocks when the rows were last counted. */
  readonly isBuilt: boolean;
}

/** By organization and pipeline. */
const knownBatches = new Map<string, KnownBatches>();

interface Ports extends Pick<ClockAndIds, 'now' | 'newId'> {
  readonly platform: TableWriter<'platform'>;
  organizations(organizationId: string): TableWriter;
}

/** Writes what changes of counters tell into batches of the pipelines' search indexes, and compacts where many have gathered. */
export async function indexChanges(
  changes: readonly TableChange[],
  { organizations, platform, ...clock }: Ports,
): Promise<void> {
  const counters = changes.flatMap(countersIn);
  for (const [, own] of Map.groupBy(
    counters,
    ({ organizationId, pipelineId }) => `${organizationId} ${pipelineId}`,
  )) {
    const [{ organizationId, pipelineId }] = own as [CounterChange, ...CounterChange[]];
    const table = organizations(organizationId);
    const unseen = unseenChangesOf(own);
    // A counter that remembers none of its changes was not written by operations: the index must be rebuilt.
    const isImported = own.some(({ place, count, latest }) => latest.length === 0 && isUnseen(place, count));
    if (unseen.length === 0 && !isImported) {
      continue;
    }
    if (!(await isIndexed(table, pipelineId, own))) {
      continue;
    }
    for (const batch of unseen.length === 0 ? [] : await readChangeBatches(table, pipelineId, unseen)) {
      const stale = { organizationId, pipelineId };
      await table.commit([
        table.put(changeBatchKey(pipelineId, clock.newId()), batch),
        ...(isErasing(batch) ? [platform.put(staleIndexKey(organizationId, pipelineId), stale)] : []),
      ]);
    }
    for (const { place, count } of own) {
      remember(lastNumbers, place, count, capacity);
    }
    await compactIfDue(table, pipelineId, { rows: unseen.length, isImported }, clock);
  }
}

/** A shard of the counters of all contacts of a large pipeline. */
interface CounterChange {
  readonly organizationId: string;
  readonly pipelineId: string;
  readonly shard: number;
  /** Identifies it. */
  readonly place: string;
  readonly count: number;
  /** In all stages. */
  readonly contacts: number;
  readonly latest: readonly ContactChange[];
}

function countersIn({ partition, sort, attributes }: TableChange): CounterChange[] {
  const organizationId = organizationIn(partition);
  const [, , kind, pipelineId] = keyParts(partition);
  const shard = Number(keyParts(sort)[1]);
  // Counters of applications do not count changes.
  const isCounter = organizationId && pipelineId && kind === 'COUNTS' && attributes.changes !== undefined;
  if (!isCounter) {
    return [];
  }
  return [
    {
      organizationId,
      pipelineId,
      shard,
      place: `${partition} ${sort}`,
      count: Number(attributes.changes),
      contacts: contactsOf(attributes),
      latest: latestChanges(attributes),
    },
  ];
}

/**
 * Whether the pipeline has, or is to have, a stored index: all of its shards or none. Deletes the index of a pipeline that has become
 * small or is gone.
 */
async function isIndexed(
  table: TableWriter,
  pipelineId: string,
  counters: readonly CounterChange[],
): Promise<boolean> {
  const key = keyOfIndex(table.organizationId, pipelineId);
  // Shards differ in size, but not that much: most pipelines are known to be small or large without reading all of their counters.
  const [fewest, most] = [
    Math.min(...counters.map(({ contacts }) => contacts)),
    Math.max(...counters.map(({ contacts }) => contacts)),
  ];
  const isLarge = fewest * counterShards >= fewestStored;
  // Another process may have deleted the index of a smaller one since.
  const isBuilt =
    (isLarge && knownBatches.get(key)?.isBuilt === true) ||
    (await table.read(searchBacklogKey(pipelineId)))?.attributes?.built !== undefined;
  if (isBuilt ? isLarge : most * counterShards < fewestStored / 4) {
    return isBuilt;
  }
  const items = await table.list(boardCounterRange(pipelineId, ['all']));
  const total = items.reduce((sum, { attributes = {} }) => sum + contactsOf(attributes), 0);
  if (!isBuilt) {
    return total >= fewestStored && total <= maxStored;
  }
  if (total < fewestStored / 2) {
    const { discardIndex } = await compaction();
    knownBatches.delete(key);
    await discardIndex(table, pipelineId);
    return false;
  }
  return true;
}

/** All contacts that a counter counts. */
function contactsOf(attributes: Readonly<Record<string, unknown>>): number {
  return Object.entries(attributes)
    .filter(([name]) => isCount(name))
    .reduce((sum, [, count]) => sum + Number(count), 0);
}

const isUnseen = (place: string, count: number) => count > (lastNumbers.get(place) ?? 0);

/** The changes that this process has not seen. The first time it sees a shard, it takes as many as the counter remembers. */
function unseenChangesOf(counters: readonly CounterChange[]): NumberedChange[] {
  const unseen: NumberedChange[] = [];
  const last = new Map<string, number>();
  for (const { place, shard, count, latest } of counters) {
    const seen = last.get(place) ?? lastNumbers.get(place) ?? 0;
    for (const [index, change] of [...latest.entries()].reverse()) {
      const number = count - index;
      if (number > seen) {
        unseen.push({ ...change, shard, number });
      }
    }
    last.set(place, Math.max(seen, count));
  }
  return unseen;
}

async function compactIfDue(
  table: TableWriter,
  pipelineId: string,
  { rows, isImported }: { rows: number; isImported: boolean },
  clock: Pick<ClockAndIds, 'now' | 'newId'>,
): Promise<void> {
  const key = keyOfIndex(table.organizationId, pipelineId);
  const former = knownBatches.get(key);
  const counted = (former?.uncounted ?? 0) + rows;
  if (!isImported && former !== undefined && counted < countedTogether) {
    knownBatches.set(key, { ...former, uncounted: counted });
    return;
  }
  const { built, backlog } = await table.update(searchBacklogKey(pipelineId), {
    update: 'ADD backlog :rows',
    values: { rows: counted },
  });
  remember(knownBatches, key, { uncounted: 0, isBuilt: built !== undefined }, capacity);
  const share = Math.min(Number(built) * compactionFrom.share, compactionFrom.most);
  const most = Math.max(compactionFrom.rows, share);
  if (!isImported && built !== undefined && Number(backlog) <= most) {
    return;
  }
  const { pipelines } = (await readPipelines(table)).data;
  const pipeline = pipelines.find(({ _id }) => _id === pipelineId);
  if (pipeline === undefined) {
    return;
  }
  try {
    const { compact } = await compaction();
    await compact(table, pipeline, clock);
  } catch (error) {
    // A change of the next minutes tries again. To take these once more would not help.
    if (!(error instanceof Failure)) {
      throw error;
    }
  }
}
