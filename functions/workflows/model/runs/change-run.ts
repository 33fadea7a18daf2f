import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import type { Action } from '../../../../shared/table/table.ts';
import { canContinue, endedRun, isOver } from '../execution/engine.ts';
import { noFailures, readFailures } from './failures.ts';
import { type Run, runKey } from './run.ts';
import { type RunTables, runActions } from './run-actions.ts';
import { retryOnRunConflict } from './run-conflict.ts';
import { passGateAction, RunsEnded } from './run-gate.ts';

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
  return retryOnRunConflict(table, async () => {
    const before = await table.read(runKey(runId));
    const changed = before && change(before.data);
    if (before === undefined || changed === undefined) {
      return before?.data;
    }
    const { after, isReady = false, actions = [] } = changed;
    const counts = after.status === 'finished' || after.status === 'failed';
    const failures = counts ? await readFailures(table, after.workflowId) : noFailures;
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

/** Tries of a step after which its run fails: they take about a day. */
export const maxTries = 100;

/** Why a run is given up. */
export const givenUp = {
  tries: 'The next step could not be taken for a day.',
  crashes: 'The next step took too long or needed too much memory each time it was tried.',
} as const;

/**
 * Fails a run whose next step cannot be taken, unless another message has led it past that step. It keeps its tokens: a retry goes on with
 * that step. One that was ended with its workflow does not fail any more, but is cancelled.
 */
export async function giveUp(
  tables: RunTables,
  runId: string,
  why: keyof typeof givenUp,
  clock: ClockAndIds,
): Promise<void> {
  try {
    await changeRun(
      tables,
      runId,
      (run) =>
        canContinue(run, clock.now)
          ? {
              after: { ...endedRun(run, 'failed', givenUp[why], clock.now), tokens: run.tokens },
              actions: [passGateAction(tables.table, run)],
            }
          : undefined,
      clock,
    );
  } catch (error) {
    if (!(error instanceof RunsEnded)) {
      throw error;
    }
    await endRun(tables, runId, { status: 'cancelled', reason: error.reason }, clock);
  }
}
