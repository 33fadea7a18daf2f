import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import type { Action } from '../../../../shared/table/table.ts';
import { endedRun, isOver } from '../execution/engine.ts';
import { failuresOf, noFailures } from './failures.ts';
import { type Run, runKey } from './run.ts';
import { type RunTables, runActions } from './run-actions.ts';
import { optimisticallyOnRun } from './run-conflict.ts';

/** A run after a change, with what else the change writes. */
export interface RunChange {
  readonly after: Run;
  /** Whether the queue is to go on with it. */
  readonly isReady?: boolean;
  /** Further actions of the transaction. */
  readonly actions?: readonly Action[];
}

/**
 * Changes a run as it is when the change is written, however often it moves meanwhile.
 * @param change undefined if there is nothing to do. A `Failure` that it throws is passed on.
 * @returns the run after the change, or as it is if there was nothing to do; undefined if it is gone.
 */
export async function changeRun(
  tables: RunTables,
  runId: string,
  change: (run: Run) => RunChange | undefined,
  clock: ClockAndIds,
): Promise<Run | undefined> {
  const { table } = tables;
  return optimisticallyOnRun(table, async () => {
    const before = await table.read(runKey(runId));
    const changed = before && change(before.data);
    if (before === undefined || changed === undefined) {
      return before?.data;
    }
    const { after, isReady = false, actions = [] } = changed;
    const counts = after.status === 'finished' || after.status === 'failed';
    const failures = counts ? await failuresOf(table, after.workflowId) : noFailures;
    await table.commit([...runActions(tables, { before, after, isReady, failures }, clock), ...actions]);
    return after;
  });
}

/** How a run ends before the end of its path. */
export interface End {
  readonly status: 'finished' | 'failed' | 'cancelled';
  /** A word for what ended it (`reply`, `goal`, `workflow_deleted`), or for a failed run a sentence. */
  readonly reason?: string | undefined;
}

/** Ends a run unless it has ended. Resolves with the run as it then is; undefined if it is gone. */
export const endRun = (
  tables: RunTables,
  runId: string,
  end: End,
  clock: ClockAndIds,
): Promise<Run | undefined> =>
  changeRun(
    tables,
    runId,
    (run) => (isOver(run) ? undefined : { after: endedRun(run, end.status, end.reason, clock.now) }),
    clock,
  );
