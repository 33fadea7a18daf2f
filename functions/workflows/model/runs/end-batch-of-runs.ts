import { forEachOrThrow } from '../../../../shared/kernel/for-each-concurrently.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { after } from '../../../../shared/kernel/time.ts';
import { eraseNotificationsIn } from '../../../../shared/notifications/erase-notifications.ts';
import { workflowNotifiedRange } from '../../../../shared/notifications/notification.ts';
import type { Key, Range } from '../../../../shared/table/key.ts';
import type { TableWriter } from '../../../../shared/table/table.ts';
import { runEntryRange, runLists } from '../../../../shared/workflows/run-lists.ts';
import { statisticsRange, statisticsShards } from '../../../../shared/workflows/run-statistics.ts';
import { endRun } from './change-run.ts';
import { runKey } from './run.ts';
import type { RunTables } from './run-actions.ts';
import { runChangesKey } from './run-changes.ts';
import { closeForSteps, endedRememberedFor } from './run-gate.ts';
import { type RunsToEnd, runsToEndKey } from './runs-to-end.ts';

/** Runs that one batch looks at. It takes about a second, during which all other background work waits. */
const batch = 100;

/** Runs that are ended at the same time. */
const width = 10;

/** Rows that one batch deletes. */
const rowsOfBatch = 1_000;

/**
 * Ends the next of the runs that were ended together, and leaves the rest to the next batch, which the stream asks for. Each run ends
 * once, however often a batch is done; runs of a later revision go on. The first batch of a deleted workflow deletes the notifications
 * of failed runs, and the last ones delete what lies in its own partitions: plans, statistics and lists.
 * @returns how many runs it ended.
 */
export async function endBatchOfRuns(
  tables: RunTables,
  work: RunsToEnd,
  clock: ClockAndIds,
): Promise<number> {
  const { table } = tables;
  if (work.deletedRows !== undefined) {
    await deleteRows(table, work, work.deletedRows, clock);
    return 0;
  }
  const { workflowId, lastEnded, reason, cursor } = work;
  if (cursor === undefined) {
    // The request has closed them already, unless it failed after its transaction.
    await closeForSteps(table, workflowId, { ended: { lastEnded, reason }, now: clock.now });
    await (reason === 'workflow_deleted' &&
      eraseNotificationsIn(table, workflowNotifiedRange(workflowId), clock));
  }
  const page = { limit: batch, cursor, consistent: true };
  const { records, nextCursor } = await table.page(runEntryRange(workflowId, 'active'), page);
  const runs = await table.readMany(records.map(({ data }) => runKey(data.runId)));
  const toEnd = runs.flatMap((run) =>
    run !== undefined && run.data.revision <= lastEnded && run.data.finishedAt === undefined
      ? [run.data._id]
      : [],
  );
  await forEachOrThrow(toEnd, width, async (runId) => {
    await endRun(tables, runId, { status: 'cancelled', reason }, clock);
  });
  if (nextCursor !== null) {
    await askFor(table, { ...work, cursor: nextCursor }, clock);
  } else if (reason === 'workflow_deleted') {
    await askFor(table, { ...work, deletedRows: 0 }, clock);
  } else {
    await table.deleteMany([runsToEndKey(workflowId, lastEnded)]);
  }
  return toEnd.length;
}

/** Asks for the next batch: the stream delivers the request. */
function askFor(table: TableWriter, next: RunsToEnd, { now }: ClockAndIds): Promise<void> {
  const expiresAt = after(now, endedRememberedFor);
  return table.commit([table.put(runsToEndKey(next.workflowId, next.lastEnded), next, { expiresAt })]);
}

/** The rest of a deleted workflow once its runs have ended. */
const rangesOf = (workflowId: string): Range<unknown>[] => [
  ...runLists.map((list) => runEntryRange(workflowId, list)),
  ...statisticsShards.map((shard) => statisticsRange(workflowId, shard)),
  { partition: ownPartition(workflowId) },
];

const ownPartition = (workflowId: string) => runsToEndKey(workflowId, 0).partition;

/** Kept in its own partition: the record that its runs were ended, which expires, and the requests for batches. */
const staying = new Set([runChangesKey('-'), runsToEndKey('-', 0)].map(({ sort }) => sort[0]));

/**
 * Looks at the partition, too: the statistics of a node are in another one, and their sort key is the name of the node, which may be
 * that of a kind of record.
 */
const stays = ({ partition, sort }: Key<unknown>) =>
  partition[0] === ownPartition('-')[0] && staying.has(sort[0]);

async function deleteRows(
  table: TableWriter,
  work: RunsToEnd,
  deletedBefore: number,
  clock: ClockAndIds,
): Promise<void> {
  const keys: Key<unknown>[] = [];
  let isMore = false;
  for (const range of rangesOf(work.workflowId)) {
    const rows = await table.list(range, { limit: rowsOfBatch });
    isMore ||= rows.length === rowsOfBatch;
    keys.push(...rows.map(({ key }) => key).filter((key) => !stays(key)));
  }
  const now = keys.slice(0, rowsOfBatch);
  await table.deleteMany(now);
  await (isMore || now.length < keys.length
    ? askFor(table, { ...work, deletedRows: deletedBefore + now.length }, clock)
    : table.deleteMany([runsToEndKey(work.workflowId, work.lastEnded)]));
}
