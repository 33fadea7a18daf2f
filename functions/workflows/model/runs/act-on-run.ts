import type * as z from 'zod/mini';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import { Failure } from '../../../../shared/kernel/failure.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { changeResponse } from '../../../../shared/kernel/schemas/envelope.ts';
import { RunResponse, toRunResponse } from '../../../../shared/workflows/run-response.ts';
import type { EndOfRuns } from '../definition/workflow.ts';
import type { RunChange } from './change-run.ts';
import { type FoundRun, findRun, requireRunRights } from './find-run.ts';
import type { Run } from './run.ts';
import { type RunTables, runActions } from './run-actions.ts';
import { retryOnRunConflict } from './run-conflict.ts';
import { passGateAction, RunsEnded } from './run-gate.ts';

export const RunChanged = changeResponse(RunResponse);

/**
 * Does what somebody asks of a run, as it is when that is written: a step that is under way comes before it, or is decided anew.
 * @param act throws a `Failure` for a run in the wrong state.
 * @returns the run for the response.
 * @throws a 409 `Failure` for a run that is to continue and whose workflow has ended all its runs meanwhile.
 */
export function actOnRun(
  tables: RunTables,
  caller: Caller,
  id: string,
  act: (found: FoundRun) => RunChange,
  clock: ClockAndIds,
): Promise<z.input<typeof RunResponse>> {
  const { table } = tables;
  return retryOnRunConflict(table, async () => {
    const found = await findRun(table, caller, id);
    const { after, isReady = false, actions = [] } = act(found);
    const gate = isReady ? [passGateAction(table, after)] : [];
    try {
      await table.commit([
        ...runActions(tables, { before: found.run, after, isReady }, clock),
        ...gate,
        ...actions,
      ]);
    } catch (error) {
      if (error instanceof RunsEnded) {
        throw new Failure('CONFLICT', `This run cannot continue. ${whyEnded[error.reason]}`);
      }
      throw error;
    }
    return toRunResponse(after, found.steps);
  });
}

/** Who may make a run continue, or end it, for the descriptions of operations. */
export const whoMayActOnRuns =
  'You must see both the contact and the workflow, and be its owner, an ADMIN, or a DEPARTMENT_HEAD with all rights of the owner; others who see the run get 403.';

/**
 * Makes a run continue, for a caller who may make the workflow act.
 * @param resume the run as it continues. Throws a `Failure` for a run in the wrong state.
 * @returns the run for the response.
 * @throws what `actOnRun` throws, and a 403 `Failure` for a caller without the rights of the owner of the workflow.
 */
export function resumeRun(
  tables: RunTables,
  caller: Caller,
  id: string,
  resume: (run: Run) => Run,
  clock: ClockAndIds,
): Promise<z.input<typeof RunResponse>> {
  const act = (found: FoundRun) => {
    requireRunRights(found);
    return { after: resume(found.run.data), isReady: true };
  };
  return actOnRun(tables, caller, id, act, clock);
}

/** Why all runs of a revision have ended, also those whose records do not say so yet. */
const whyEnded: Record<EndOfRuns, string> = {
  workflow_deleted: 'The workflow is deleted.',
  workflow_disabled: 'All runs of this revision were cancelled.',
};

/** The 409 for a run in the wrong state: `Only a run that failed can be retried, and this one is waiting.` */
export function wrongState(only: string, { status }: Run): Failure {
  return new Failure('CONFLICT', `Only a run that ${only}, and this one is ${status}.`);
}
