import type { Caller } from '../../../../shared/kernel/caller.ts';
import type { Action, TableWriter } from '../../../../shared/table/table.ts';
import type { Reach } from '../../../../shared/workflows/own-workflows.ts';
import type { Effect, Outcome } from '../execution/engine.ts';
import { idOfAdded, operationTable, type Writing } from './operation-table.ts';
import { type Refusal, refusalKey } from './refusals.ts';
import { type Run, runKey } from './run.ts';
import { RunConflict } from './run-conflict.ts';
import { passGateAction } from './run-gate.ts';
import { commitStep, prepareStepWriter, type Step, type StepPorts, type TakenStep } from './write-step.ts';

/** The first part of the sort key of the record that an effect creates, by the field of the step record that has its id. */
const recordKinds: Readonly<Record<string, string>> = {
  messageId: 'MESSAGE',
  noteId: 'NOTE',
  reminderId: 'REMINDER',
  applicationId: 'APPLICATION',
  notificationId: 'NOTIFICATION',
  startedRunId: 'RUN',
};

interface Performing {
  readonly outcome: Outcome;
  readonly effect: Effect;
  /** The owner of the workflow. */
  readonly caller: Caller;
  /** The rights to which the run is held, if the owner has wider ones now. */
  readonly bound?: Reach;
}

/**
 * Performs the effect of a step and commits the step with it, in one transaction.
 * @throws what the operation throws, if it has not committed: then nothing happened.
 */
export async function performEffect(
  ports: StepPorts,
  step: Step,
  { outcome, effect: { operation, resultId, ...request }, caller, bound }: Performing,
): Promise<TakenStep> {
  const { run } = step;
  const { tables, stepOperations, now, newId } = ports;
  const { write, endsRun } = await prepareStepWriter(ports, step, outcome);
  let taken: TakenStep | undefined;
  const table = operationTable(tables.table, {
    causedBy: { runId: run._id, workflowId: run.workflowId, chain: run.chain },
    endsRun,
    bound,
    ofJob:
      run.jobId === undefined ? undefined : { jobId: run.jobId, part: `run-${run._id}-${run.steps}`, now },
    actions(writing) {
      const startsItself = startsRunOf(writing, run.workflowId);
      const written = write(withResultId(outcome, resultId, writing), {
        isCountedOut: endsRun && startsItself,
      });
      taken = written.taken;
      return [...written.actions, ownGateAction(tables.table, run)];
    },
  });
  try {
    const output = await stepOperations.run(operation, request, { now, newId, caller, table });
    if (taken === undefined || !table.hasCommitted()) {
      return await commitStep(ports, step, withReason(outcome, output));
    }
  } catch (error) {
    if (taken === undefined || !table.hasCommitted()) {
      throw error;
    }
    // Everything is committed: only making the response failed.
  }
  return taken;
}

/**
 * The gate of the run itself. The operation may start other runs, which have gates, too. So the failure of this one says that the run
 * itself has moved, and the next reading says how it ended.
 */
function ownGateAction(table: TableWriter, run: Run): Action {
  return { ...passGateAction(table, run), otherwise: () => new RunConflict() };
}

/** Whether the operation starts a run of this workflow. */
function startsRunOf({ added }: Writing, workflowId: string): boolean {
  return added.some(({ kind, data }) => kind === runKind && (data as Run).workflowId === workflowId);
}

/** The first part of the sort keys of a run, and of the record that one may not start. */
const [runKind] = runKey('-').sort;
const [refusalKind] = refusalKey('-', '-').sort;

/** The outcome of an operation that found nothing to do, with what it says about that. */
function withReason(outcome: Outcome, output: unknown): Outcome {
  const { message } = (output ?? {}) as { readonly message?: unknown };
  return outcome.status === 'passed' && typeof message === 'string'
    ? { ...outcome, reason: message }
    : outcome;
}

/** The outcome with the id of what the operation makes or changes. A run that may not start is skipped for the reason that is recorded. */
function withResultId(outcome: Outcome, resultId: string | undefined, writing: Writing): Outcome {
  if (outcome.status !== 'passed' || resultId === undefined) {
    return outcome;
  }
  const fromEvent = writing.events
    .map(({ data }) => data[resultId])
    .find((value) => typeof value === 'string');
  const id = (fromEvent as string | undefined) ?? idOfAdded(writing, recordKinds[resultId] ?? '');
  const refusal = writing.added.find(({ kind }) => kind === refusalKind)?.data as Refusal | undefined;
  if (id === undefined && refusal !== undefined) {
    return { status: 'skipped', reason: refusal.reason };
  }
  return id === undefined ? outcome : { ...outcome, resultIds: { ...outcome.resultIds, [resultId]: id } };
}
