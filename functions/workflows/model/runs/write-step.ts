import type { StepOperations } from '../../../../shared/events/step-operations.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { after } from '../../../../shared/kernel/time.ts';
import type { Action, Stored } from '../../../../shared/table/table.ts';
import { longestRun } from '../definition/limits.ts';
import { advanced, endedRun, type Outcome, type Turn, takeTurn } from '../execution/engine.ts';
import { failuresOf, noFailures } from './failures.ts';
import type { Receipt, Run, Token } from './run.ts';
import { type RunTables, runActions, type Transition } from './run-actions.ts';
import type { RunPlan } from './run-changes.ts';
import { passGateAction } from './run-gate.ts';

/** What steps need. A simulation passes tables that only record the writes, and a clock of its own. */
export interface StepContext extends ClockAndIds {
  readonly tables: RunTables;
  readonly stepOperations: StepOperations;
  /** The plan that the next step follows; undefined if it is deleted. @throws `RunsEnded`. */
  planOf(run: Run): Promise<RunPlan | undefined>;
}

/** The step that a token takes. */
export interface Step {
  /** The run as it was read. */
  readonly stored: Stored<Run>;
  /** The same run in the plan that the step follows, after its waits that are over have ended. */
  readonly run: Run;
  readonly token: Token;
  readonly found: RunPlan;
  readonly turn?: Turn | undefined;
}

/** A run after a step. */
export interface TakenStep {
  readonly run: Stored<Run>;
  /** Absent for a run that was ended with its workflow. */
  readonly receipt?: Receipt;
}

export interface StepWriter {
  /** Whether the run ends with the step. */
  readonly endsRun: boolean;
  write(outcome: Outcome, more?: Pick<Transition, 'isCountedOut'>): WrittenStep;
}

interface WrittenStep {
  readonly actions: readonly Action[];
  readonly taken: TakenStep;
}

/** What writes a step with an outcome like this one: only what its operation made may differ. */
export async function stepWriter(context: StepContext, step: Step, likely: Outcome): Promise<StepWriter> {
  const { stored, run, token, found, turn } = step;
  const { tables, now } = context;
  const endsRun = advanced(found.plan, run, token, likely, now).run.finishedAt !== undefined;
  const failures = endsRun ? await failuresOf(tables.table, run.workflowId) : noFailures;
  return {
    endsRun,
    write(outcome, more = {}) {
      const { run: ran, receipt } = advanced(found.plan, run, token, outcome, now);
      const transition = { before: stored, after: ran, receipts: [receipt], failures, ...more };
      return {
        actions: [
          ...runActions(tables, transition, clockOf(context)),
          ...(turn ? [takeTurn(tables.table, { ...run, ...token }, turn, after(now, longestRun))] : []),
        ],
        taken: { run: next(stored, ran), receipt },
      };
    },
  };
}

/** Commits a step without an effect. @throws `RunsEnded` for one that fails its run, if that was ended with its workflow. */
export async function commitStep(context: StepContext, step: Step, outcome: Outcome): Promise<TakenStep> {
  const { table } = context.tables;
  const { write } = await stepWriter(context, step, outcome);
  const { actions, taken } = write(outcome);
  await table.commit([...actions, ...(hasFailed(taken.run.data) ? [passGateAction(table, step.run)] : [])]);
  return taken;
}

/** Whether the end of the run reaches others: workflows that start on failures, and the owner. A run that was ended must not do so. */
const hasFailed = ({ status }: Run) => status === 'failed';

/** Ends a run with its workflow. */
export async function commitEnd(
  context: StepContext,
  before: Stored<Run>,
  reason: string,
): Promise<TakenStep> {
  const run = endedRun(before.data, 'cancelled', reason, context.now);
  const { table } = context.tables;
  await table.commit(runActions(context.tables, { before, after: run }, clockOf(context)));
  return { run: next(before, run) };
}

const next = ({ key, version }: Stored<Run>, data: Run): Stored<Run> => ({ key, data, version: version + 1 });

const clockOf = ({ now, newId }: StepContext): ClockAndIds => ({ now, newId });
