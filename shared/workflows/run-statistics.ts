import { crc32 } from 'node:zlib';
import { toDigest } from '../table/digest.ts';
import type { Key, Range } from '../table/key.ts';
import type { Action, TableReader, TableWriter } from '../table/table.ts';

/** Counts what the runs of a workflow did at a node; `waiting` is how many tokens wait there now. */
export interface NodeStatistics {
  readonly passed: number;
  readonly waiting: number;
  readonly failed: number;
  readonly skipped: Readonly<Record<string, number>>;
}

/**
 * The counters of a node are spread over several items in each of several partitions, by contact. A partition takes 500 steps a second
 * and an item about 20, so this is enough for all that the events of one organization leave room for. A reading asks for every partition
 * at the same time; more items in each make it longer, and no slower.
 */
export const statisticsShards = ['0', '1', '2', '3'] as const;
export const statisticsParts = 8;

/** Where the runs of a contact are counted, always the same. */
function counterPosition(contactId: string): { readonly shard: string; readonly part: string } {
  const hash = crc32(contactId);
  const shards = statisticsShards.length;
  return { shard: String(hash % shards), part: String(Math.floor(hash / shards) % statisticsParts) };
}

const plainNodeId = /^[A-Za-z0-9_-]{1,64}$/;

/** A node as a part of a key: its id where that can be one. */
export const nodePart = (nodeId: string): string =>
  plainNodeId.test(nodeId) ? nodeId : `~${toDigest(nodeId)}`;

/** Rows for each node: however many nodes a graph has, no item grows with them. */
export const statisticsKey = (workflowId: string, shard: string, node: string, part: string): Key<never> => ({
  partition: ['WORKFLOW_STATISTICS', workflowId, shard],
  sort: [node, part],
});

export const statisticsRange = (workflowId: string, shard: string): Range<never> => ({
  partition: ['WORKFLOW_STATISTICS', workflowId, shard],
});

/** The increments of a node's counters, by counter; a skip counts as `skipped_<reason>`. */
export type StatisticsChange = Readonly<Record<string, number>>;

/** Counts the waiting tokens of a run by node: none of one that ended. */
export function waitingIn(run: WaitingRun | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { nodeId, wait } of run?.finishedAt === undefined ? (run?.tokens ?? []) : []) {
    if (wait !== undefined) {
      counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1);
    }
  }
  return counts;
}

export interface WaitingRun {
  readonly tokens: readonly { readonly nodeId: string; readonly wait?: unknown }[];
  readonly finishedAt?: string;
}

/** An action for each node whose counters change. */
export function statisticsActions(
  table: TableWriter,
  { workflowId, contactId }: { readonly workflowId: string; readonly contactId: string },
  changes: ReadonlyMap<string, StatisticsChange>,
): Action[] {
  const { shard, part } = counterPosition(contactId);
  return [...changes].flatMap(([nodeId, change]) => {
    const counters = Object.entries(change).filter(([, by]) => by !== 0);
    return counters.length === 0
      ? []
      : [
          table.updateAction(statisticsKey(workflowId, shard, nodePart(nodeId), part), {
            update: `ADD ${counters.map(([name]) => `${name} :${name}`).join(', ')}`,
            values: Object.fromEntries(counters),
          }),
        ];
  });
}

/** Reads what the runs of a workflow did, by the `nodePart` of the nodes; in one round trip. */
export async function readStatistics(
  table: TableReader,
  workflowId: string,
): Promise<ReadonlyMap<string, NodeStatistics>> {
  const shards = await Promise.all(
    statisticsShards.map((shard) => table.list(statisticsRange(workflowId, shard), { consistent: false })),
  );
  const sums = new Map<string, NodeStatistics>();
  for (const { key, attributes = {} } of shards.flat()) {
    const [part = ''] = key.sort;
    sums.set(part, added(sums.get(part), attributes));
  }
  return sums;
}

const nothing: NodeStatistics = { passed: 0, waiting: 0, failed: 0, skipped: {} };

const skippedPrefix = 'skipped_';

function added(sum = nothing, counters: Readonly<Record<string, unknown>>): NodeStatistics {
  const of = (name: string) => Number(counters[name] ?? 0);
  const skipped: Record<string, number> = { ...sum.skipped };
  for (const name of Object.keys(counters).filter((counter) => counter.startsWith(skippedPrefix))) {
    const reason = name.slice(skippedPrefix.length);
    skipped[reason] = (skipped[reason] ?? 0) + of(name);
  }
  return {
    passed: sum.passed + of('passed'),
    waiting: sum.waiting + of('waiting'),
    failed: sum.failed + of('failed'),
    skipped,
  };
}
