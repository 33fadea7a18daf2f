import type { Caller } from '../../../../shared/kernel/caller.ts';
import { forEachOrThrow } from '../../../../shared/kernel/for-each-concurrently.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { after, day, type Timestamp } from '../../../../shared/kernel/time.ts';
import type { Key } from '../../../../shared/table/key.ts';
import type { Action, Stored, TableReader, TableWriter } from '../../../../shared/table/table.ts';
import { readRights } from '../definition/rights-of-owner.ts';
import { endRun } from './change-run.ts';
import { type Run, runRange } from './run.ts';
import type { RunTables } from './run-actions.ts';

/** Runs of a contact that somebody wants to end. */
export interface ChosenRuns {
  readonly contactId: string;
  /** Only those of these workflows; by default, of all workflows. */
  readonly workflowIds?: readonly string[] | undefined;
  /** The run that goes on: the one whose step ends the others. */
  readonly exceptRunId?: string | undefined;
}

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

/**
 * Asks for the end of other runs of a contact, in the transaction of the step that ends them: they may be more than a transaction has room
 * for. `end-workflow-runs` finds it in the stream.
 */
export interface OthersToEnd extends ChosenRuns {
  readonly exceptRunId: string;
  /** The owner of the workflow whose step ends them, who may end only runs with no wider rights. */
  readonly by: Pick<Caller, 'userId' | 'role'>;
  /** Runs that start later go on. */
  readonly startedUpTo: Timestamp;
  /** Where the next batch begins among the runs of the contact; from the start without one. */
  readonly cursor?: string;
}

export const othersToEndKey = (contactId: string, exceptRunId: string): Key<OthersToEnd> => ({
  partition: ['CONTACT', contactId],
  sort: ['RUNS_TO_END', exceptRunId],
});

/** The action that asks for the end of these runs. */
export function endOthersAction(table: TableWriter, others: OthersToEnd, now: Date): Action {
  const key = othersToEndKey(others.contactId, others.exceptRunId);
  return table.put(key, others, { expiresAt: after(now, day) });
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
  others: OthersToEnd,
  clock: ClockAndIds,
  most = batch,
): Promise<number> {
  const { table } = tables;
  const { contactId, cursor } = others;
  const [{ records, nextCursor }, rights] = await Promise.all([
    table.page(runRange(contactId), { limit: most, cursor, consistent: true }),
    readRights(others.by, table),
  ]);
  const ending = activeAmong(records, others).filter(
    ({ startedAt, userId }) => startedAt <= others.startedUpTo && rights.covers(userId),
  );
  await forEachOrThrow(ending, width, async ({ _id }) => {
    await endRun(tables, _id, { status: 'cancelled', reason: 'stopped_by_workflow' }, clock);
  });
  if (nextCursor !== null) {
    await table.commit([endOthersAction(table, { ...others, cursor: nextCursor }, clock.now)]);
  }
  return ending.length;
}
