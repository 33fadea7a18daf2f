import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { canContinue, endedRun } from '../execution/engine.ts';
import { changeRun, endRun } from './change-run.ts';
import type { RunTables } from './run-actions.ts';
import { passGateAction, RunsEnded } from './run-gate.ts';

/** Tries of a step after which its run fails: they take about a day. */
export const maxTries = 100;

/** Why a run is given up. */
export const givenUp = {
  tries: 'The next step could not be taken for a day.',
  losses: 'The next step took too long or needed too much memory each time it was tried.',
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
