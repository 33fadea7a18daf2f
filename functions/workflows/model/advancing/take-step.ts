import type { Caller } from '../../../../shared/kernel/caller.ts';
import { Failure } from '../../../../shared/kernel/failure.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import type { StepOperations } from '../../../../shared/kernel/step-operations.ts';
import { after } from '../../../../shared/kernel/time.ts';
import type { Action, Stored, TableWriter } from '../../../../shared/table/table.ts';
import { recordKinds } from '../effects/record-kinds.ts';
import { takeTurn } from '../effects/turns.ts';
import { advanced, endedRun } from '../engine/advanced.ts';
import { decide, extraOf } from '../engine/decide.ts';
import type { Effect, Outcome, Turn } from '../engine/decision.ts';
import { longestRun } from '../nodes/node-fields.ts';
import { inPlan, type RunPlan } from '../plans/run-changes.ts';
import { passGateAction, RunsEnded } from '../plans/run-gate.ts';
import { failuresOf, noFailures } from '../runs/failures.ts';
import { idOfAdded, operationTable, type Writing } from '../runs/operation-table.ts';
import { type Receipt, type Run, runKey, type Token } from '../runs/run.ts';
import { type RunTables, runActions, type Transition } from '../runs/run-actions.ts';
import { RunMoved } from '../runs/run-moved.ts';
import { type Refusal, refusalKey } from '../starts/refusals.ts';
import { factsOf } from './run-facts.ts';

/** What steps need. A simulation gives tables that keep what is written to themselves, and a clock of its own. */
export interface StepContext extends ClockAndIds {
  readonly tables: RunTables;
  readonly stepOperations: StepOperations;
  /** The plan that the next step follows; undefined if it is deleted. @throws `RunsEnded`. */
  planOf(run: Run): Promise<RunPlan | undefined>;
}

/** A run after a step. */
export interface TakenStep {
  readonly run: Stored<Run>;
  /** Absent for a run that was ended with its workflow. */
  readonly receipt?: Receipt;
}

/**
 * Takes the next step of a token: reads what it depends on, decides, and commits what follows from it in one transaction with its effect.
 * Undefined if the contact was deleted: its run is deleted with it, and does nothing more.
 * @param stored the run as it was read; `run` the same, in which the waits that are over have ended.
 * @throws `RunMoved` when somebody else changed the run meanwhile: then nothing happened.
 */
export async function takeStep(
  context: StepContext,
  stored: Stored<Run>,
  run: Run,
  token: Token,
): Promise<TakenStep | undefined> {
  try {
    const found = await context.planOf(run);
    return found === undefined
      ? await endWith(context, stored, 'workflow_deleted')
      : await decideAndCommit(context, { stored, run: inPlan(run, found), token, found });
  } catch (error) {
    if (error instanceof RunsEnded) {
      return endWith(context, stored, error.reason);
    }
    throw error;
  }
}

interface Deciding {
  readonly stored: Stored<Run>;
  readonly run: Run;
  readonly token: Token;
  readonly found: RunPlan;
}

/** @param refused what refused the effect before, if something did. */
async function decideAndCommit(
  context: StepContext,
  step: Deciding,
  refused?: Failure,
): Promise<TakenStep | undefined> {
  const { run, token, found } = step;
  const { now, tables } = context;
  const facts = await factsOf(tables.table, found.plan, run);
  if (facts.state === undefined && run.topic !== 'contact.deleted') {
    return undefined;
  }
  const extra = await extraOf(found.plan, run, token, facts, { table: tables.table, now });
  const { outcome, effect, turn } = decide(found.plan, run, token, facts, extra, now);
  if (effect === undefined) {
    return commitAlone(context, step, outcome);
  }
  if (facts.owner === undefined) {
    return commitAlone(context, step, { status: 'skipped', reason: 'owner_disabled' });
  }
  try {
    return await performed(context, { ...step, turn }, { outcome, effect, caller: facts.owner });
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) {
      throw error;
    }
    // What it depends on may have changed since it was decided: then another decision has a better reason.
    return refused === undefined
      ? decideAndCommit(context, step, error)
      : commitAlone(context, step, { status: 'failed', reason: error.message });
  }
}

interface Performing {
  readonly outcome: Outcome;
  readonly effect: Effect;
  /** The owner of the workflow. */
  readonly caller: Caller;
}

/** Performs the effect and commits the step with it. @throws what the operation throws, if it has not committed. */
async function performed(
  context: StepContext,
  step: Deciding & { readonly turn: Turn | undefined },
  { outcome, effect: { operation, resultId, ...request }, caller }: Performing,
): Promise<TakenStep> {
  const { run } = step;
  const { tables, stepOperations, now, newId } = context;
  const { write, isEnd: endsRun } = await writerOf(context, step, outcome);
  let taken: TakenStep | undefined;
  const table = operationTable(tables.table, {
    causedBy: { runId: run._id, workflowId: run.workflowId, chain: run.chain },
    endsRun,
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
      return await commitAlone(context, step, withReason(outcome, output));
    }
  } catch (error) {
    if (taken === undefined || !table.hasCommitted()) {
      throw error;
    }
    // All of it is committed: only the response could not be made.
  }
  return taken;
}

/**
 * The gate of the run itself. The operation may start runs, and have gates of theirs: so its failure says that its own run has moved, and the
 * next reading says how that was ended.
 */
function ownGateAction(table: TableWriter, run: Run): Action {
  return { ...passGateAction(table, run), otherwise: () => new RunMoved() };
}

/** Whether the operation starts a run of this workflow. */
function startsRunOf({ added }: Writing, workflowId: string): boolean {
  return added.some(({ kind, data }) => kind === runKind && (data as Run).workflowId === workflowId);
}

/** The outcome of an operation that found nothing to do, with what it says about that. */
function withReason(outcome: Outcome, output: unknown): Outcome {
  const { message } = (output ?? {}) as { readonly message?: unknown };
  return outcome.status === 'passed' && typeof message === 'string'
    ? { ...outcome, reason: message }
    : outcome;
}

/** The first part of the sort keys of a run, and of one that may not start. */
const [runKind] = runKey('-').sort;
const [refusalKind] = refusalKey('-', '-').sort;

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

async function commitAlone(
  context: StepContext,
  step: Deciding & { readonly turn?: Turn | undefined },
  outcome: Outcome,
): Promise<TakenStep> {
  const { write } = await writerOf(context, step, outcome);
  const { actions, taken } = write(outcome);
  await context.tables.table.commit(actions);
  return taken;
}

interface Written {
  readonly actions: readonly Action[];
  readonly taken: TakenStep;
}

interface Writer {
  /** Whether the run ends with the step. */
  readonly isEnd: boolean;
  write(outcome: Outcome, more?: Pick<Transition, 'isCountedOut'>): Written;
}

/** Writes a step with an outcome like this one: only what it made may differ. */
async function writerOf(
  context: StepContext,
  { stored, run, token, found: { plan }, turn }: Deciding & { readonly turn?: Turn | undefined },
  likely: Outcome,
): Promise<Writer> {
  const { tables, now } = context;
  const isEnd = advanced(plan, run, token, likely, now).run.finishedAt !== undefined;
  const failures = isEnd ? await failuresOf(tables.table, run.workflowId) : noFailures;
  const write: Writer['write'] = (outcome, more = {}) => {
    const { run: ran, receipt } = advanced(plan, run, token, outcome, now);
    const transition = { before: stored, after: ran, receipts: [receipt], failures, ...more };
    return {
      actions: [
        ...runActions(tables, transition, clockOf(context)),
        ...(turn ? [takeTurn(tables.table, { ...run, ...token }, turn, after(now, longestRun))] : []),
      ],
      taken: { run: next(stored, ran), receipt },
    };
  };
  return { write, isEnd };
}

/** Ends a run with its workflow. */
async function endWith(context: StepContext, before: Stored<Run>, reason: string): Promise<TakenStep> {
  const run = endedRun(before.data, 'cancelled', reason, context.now);
  const { table } = context.tables;
  await table.commit(runActions(context.tables, { before, after: run }, clockOf(context)));
  return { run: next(before, run) };
}

const next = ({ key, version }: Stored<Run>, data: Run): Stored<Run> => ({ key, data, version: version + 1 });

const clockOf = ({ now, newId }: StepContext): ClockAndIds => ({ now, newId });
