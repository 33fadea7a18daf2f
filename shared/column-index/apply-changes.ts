import {
  boardCounterRange,
  type ContactChange,
  counterShards,
  isCount,
  latestChanges,
} from '../contact-aggregate/counters.ts';
import type { MessageQueue } from '../kernel/message-queue.ts';
import type { ClockAndIds } from '../kernel/operation.ts';
import { remember } from '../kernel/remember.ts';
import type { TableChange } from '../kernel/trigger.ts';
import { keyParts } from '../table/key.ts';
import { organizationIn } from '../table/spaces.ts';
import type { TableWriter } from '../table/table.ts';
import { type NumberedChange, readChangeBatches } from './change-batches.ts';
import { noteStaleAction, requestCompaction } from './request-compactions.ts';
import { changeBatchKey, fewestStored, isErasing, type Summary, searchSummaryKey } from './stored-index.ts';

/** Changes of a shard after which a compaction is requested: at least so many, and this share of the contacts up to a limit. */
const compactionFrom = { rows: 50, share: 1 / 800, most: 625 };

/** Shards whose last change a warm process remembers. */
const capacity = 10_000;

const lastNumbers = new Map<string, number>();

interface Ports extends Pick<ClockAndIds, 'newId'> {
  readonly platform: TableWriter<'platform'>;
  readonly queue: MessageQueue;
  organizations(organizationId: string): TableWriter;
}

/** Writes what changes of counters tell into batches of the pipelines' search indexes, and requests a compaction where many have gathered. */
export async function indexChanges(
  changes: readonly TableChange[],
  { organizations, platform, queue, newId }: Ports,
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
    const summary = (await table.read(searchSummaryKey(pipelineId)))?.data;
    const size = await sizeOf(table, pipelineId, own, summary !== undefined);
    if (size === 'small') {
      // An index that there is goes.
      await (summary && requestCompaction(queue, { organizationId, pipelineId }));
      continue;
    }
    for (const batch of unseen.length === 0 ? [] : await readChangeBatches(table, pipelineId, unseen)) {
      await table.commit([
        table.put(changeBatchKey(pipelineId, newId()), batch),
        ...(isErasing(batch) ? [noteStaleAction(platform, { organizationId, pipelineId })] : []),
      ]);
    }
    if (isImported) {
      await requestCompaction(queue, { organizationId, pipelineId, begin: 'listing' });
    } else if (isDue(summary, unseen)) {
      await requestCompaction(queue, { organizationId, pipelineId, begin: 'compaction' });
    }
    for (const { place, count } of own) {
      remember(lastNumbers, place, count, capacity);
    }
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

/** Whether the pipeline has, or is to have, a stored index: all of its shards or none. */
async function sizeOf(
  table: TableWriter,
  pipelineId: string,
  counters: readonly CounterChange[],
  isBuilt: boolean,
): Promise<'large' | 'small'> {
  // Shards differ in size, but not that much: most pipelines are known to be small or large without reading all of their counters.
  const [fewest, most] = [
    Math.min(...counters.map(({ contacts }) => contacts)),
    Math.max(...counters.map(({ contacts }) => contacts)),
  ];
  if (isBuilt && fewest * counterShards >= fewestStored) {
    return 'large';
  }
  if (!isBuilt && most * counterShards < fewestStored / 4) {
    return 'small';
  }
  const items = await table.list(boardCounterRange(pipelineId, ['all']));
  const total = items.reduce((sum, { attributes = {} }) => sum + contactsOf(attributes), 0);
  return total >= (isBuilt ? fewestStored / 2 : fewestStored) ? 'large' : 'small';
}

/** Whether the changes of a shard since the last compaction reach a multiple of the limit: so a request that is lost is made again. */
function isDue(summary: Summary | undefined, unseen: readonly NumberedChange[]): boolean {
  if (summary === undefined) {
    return true;
  }
  const share = Math.min(summary.contacts * compactionFrom.share, compactionFrom.most);
  const limit = Math.ceil(Math.max(compactionFrom.rows, share));
  return unseen.some(({ shard, number }) => {
    const since = number - (summary.changes[shard] ?? 0);
    return since > 0 && since % limit === 0;
  });
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
