import type { StepOperations } from '../../../../shared/events/step-operations.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { after, day } from '../../../../shared/kernel/time.ts';
import type { Action, Stored } from '../../../../shared/table/table.ts';
import { longestRun } from '../definition/plan.ts';
import {
  endedRun,
  moveRoundRobinAction,
  type Outcome,
  type RoundRobinMove,
  runAfterStep,
} from '../execution/engine.ts';
import { noFailures, readFailures } from './failures.ts';
import { httpRequestKey, type OutgoingRequest, type Run, type StoredStepRecord, type Token } from './run.ts';
import { type RunTables, runActions, type Transition } from './run-actions.ts';
import type { RunPlan } from './run-changes.ts';
import { passGateAction } from './run-gate.ts';

/** The ports of steps. A simulation passes tables that only record the writes, and a clock of its own. */
export interface StepPorts extends ClockAndIds {
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
  readonly roundRobin?: RoundRobinMove | undefined;
  readonly request?: OutgoingRequest | undefined;
}

/** A run after a step. */
export interface TakenStep {
  readonly run: Stored<Run>;
  /** Absent for a run that was ended with its workflow. */
  readonly stepRecord?: StoredStepRecord;
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

/** Writes a step with an outcome like this one: only what its operation made may differ. */
export async function prepareStepWriter(ports: StepPorts, step: Step, likely: Outcome): Promise<StepWriter> {
  const { stored, run, token, found, roundRobin, request } = step;
  const { tables, now } = ports;
  const endsRun = runAfterStep(found.plan, run, token, likely, now).run.finishedAt !== undefined;
  const failures = endsRun ? await readFailures(tables.table, run.workflowId) : noFailures;
  return {
    endsRun,
    write(outcome, more = {}) {
      const { run: ran, stepRecord } = runAfterStep(found.plan, run, token, outcome, now);
      const transition = { before: stored, after: ran, stepRecords: [stepRecord], failures, ...more };
      return {
        actions: [
          ...runActions(tables, transition, clockOf(ports)),
          ...(roundRobin
            ? [moveRoundRobinAction(tables.table, { ...run, ...token }, roundRobin, after(now, longestRun))]
            : []),
          ...(request ? [requestAction(ports, run, stepRecord.n, request)] : []),
        ],
        taken: { run: next(stored, ran), stepRecord },
      };
    },
  };
}

/** Commits a step without an effect. @throws `RunsEnded` for one that fails its run, if that was ended with its workflow. */
export async function commitStep(ports: StepPorts, step: Step, outcome: Outcome): Promise<TakenStep> {
  const { table } = ports.tables;
  const { write } = await prepareStepWriter(ports, step, outcome);
  const { actions, taken } = write(outcome);
  const passesGate = hasFailed(taken.run.data) || step.request !== undefined;
  await table.commit([...actions, ...(passesGate ? [passGateAction(table, step.run)] : [])]);
  return taken;
}

/** Long after all attempts. */
const requestKeptFor = day;

/** Stores the request of a step, which the stream then hands over. */
function requestAction(
  { tables, now }: StepPorts,
  { _id: runId, workflowId }: Run,
  n: number,
  request: OutgoingRequest,
): Action {
  return tables.table.put(
    httpRequestKey(runId, n),
    { ...request, workflowId, runId, n, webhookId: `${runId}_${n}` },
    { expiresAt: after(now, requestKeptFor) },
  );
}

/** Whether the end of the run reaches others: workflows that start on failures, and the owner. A run that was ended must not do so. */
const hasFailed = ({ status }: Run) => status === 'failed';

/** Ends a run with its workflow. */
export async function commitEnd(ports: StepPorts, before: Stored<Run>, reason: string): Promise<TakenStep> {
  const run = endedRun(before.data, 'cancelled', reason, ports.now);
  const { table } = ports.tables;
  await table.commit(runActions(ports.tables, { before, after: run }, clockOf(ports)));
  return { run: next(before, run) };
}

const next = ({ key, version }: Stored<Run>, data: Run): Stored<Run> => ({ key, data, version: version + 1 });

const clockOf = ({ now, newId }: StepPorts): ClockAndIds => ({ now, newId });
