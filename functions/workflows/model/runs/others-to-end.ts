import { forEachOrThrow } from '../../../../shared/kernel/for-each-concurrently.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import type { Stored, TableReader } from '../../../../shared/table/table.ts';
import {
  type ChosenRuns,
  endRunsOfContactAction,
  type RunsOfContactToEnd,
} from '../../../../shared/workflows/runs-of-contact-to-end.ts';
import { readRights } from '../definition/rights-of-owner.ts';
import { endRun } from './change-run.ts';
import { type Run, runRange } from './run.ts';
import type { RunTables } from './run-actions.ts';

/** The chosen runs that are running or waiting, oldest first. */
export async function findActiveRuns(table: TableReader, chosen: ChosenRuns): Promise<Run[]> {
  return activeAmong(await table.list(runRange(chosen.contactId)), chosen);
}

function activeAmong(records: readonly Stored<Run>[], { workflowIds, exceptRunId }: ChosenRuns): Run[] {
  return records
    .map(({ data }) => data)
    .filter((run) => run.finishedAt === undefined && run._id !== exceptRunId)
    .filter(({ workflowId }) => workflowIds === undefined || workflowIds.includes(workflowId));
}

/** Runs that are ended at the same time, and that one batch looks at: it takes some seconds, during which all other background work waits. */
const [width, batch] = [10, 1_000];

/**
 * Ends the runs, each once, however often it is asked for. It looks at `most` runs of the contact, and leaves the rest to the next batch,
 * which the stream asks for.
 * @returns how many it ended.
 */
export async function endOthers(
  tables: RunTables,
  others: RunsOfContactToEnd,
  clock: ClockAndIds,
  most = batch,
): Promise<number> {
  const { table } = tables;
  const { contactId, cursor, reason = 'stopped_by_workflow', by } = others;
  const [{ records, nextCursor }, rights] = await Promise.all([
    table.page(runRange(contactId), { limit: most, cursor, consistent: true }),
    by && readRights(by, table),
  ]);
  const ending = activeAmong(records, others).filter(
    ({ startedAt, userId }) =>
      startedAt <= others.startedUpTo && (rights === undefined || rights.covers(userId)),
  );
  await forEachOrThrow(ending, width, async ({ _id }) => {
    await endRun(tables, _id, { status: 'cancelled', reason }, clock);
  });
  if (nextCursor !== null) {
    await table.commit([endRunsOfContactAction(table, { ...others, cursor: nextCursor }, clock.now)]);
  }
  return ending.length;
}
