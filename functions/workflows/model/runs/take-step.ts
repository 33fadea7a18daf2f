import { Failure } from '../../../../shared/kernel/failure.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import type { StepOperations } from '../../../../shared/kernel/step-operations.ts';
import type { Step, Stored } from '../../../../shared/table/table.ts';
import { advanced, endedRun } from '../engine/advanced.ts';
import { decide, extraOf } from '../engine/decide.ts';
import type { Effect, Outcome } from '../engine/decision.ts';
import type { Facts } from '../engine/facts.ts';
import type { RunPlan } from '../plans/run-changes.ts';
import { passGateStep, RunsEnded } from '../plans/run-gate.ts';
import { failuresOf } from './failures.ts';
import { gatedTable, idOfAdded, type Writing } from './gated-table.ts';
import type { Receipt, Run, Token } from './run.ts';
import { factsOf } from './run-facts.ts';
import { type RunTables, runSteps } from './run-steps.ts';

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
    if (found === undefined) {
      return await endWith(context, stored, 'workflow_deleted');
    }
    const { table } = context.tables;
    const facts = await factsOf(table, found.plan, run);
    if (facts.state === undefined && run.topic !== 'contact.deleted') {
      return undefined;
    }
    const step: Deciding = { stored, run: { ...run, revision: found.revision }, token, facts, found };
    return await decideAndCommit(context, step);
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
  readonly facts: Facts;
  readonly found: RunPlan;
}

async function decideAndCommit(context: StepContext, step: Deciding): Promise<TakenStep> {
  const { run, token, facts, found } = step;
  const { now, tables } = context;
  const extra = await extraOf(found.plan, run, token, facts, { table: tables.table, now });
  const { outcome, effect } = decide(found.plan, run, token, facts, extra, now);
  if (effect === undefined) {
    return commitAlone(context, step, outcome);
  }
  if (facts.owner === undefined) {
    return commitAlone(context, step, { status: 'skipped', reason: 'owner_disabled' });
  }
  const writer = await writerOf(context, step, outcome);
  let taken: TakenStep | undefined;
  const table = gatedTable(tables.table, {
    causedBy: { runId: run._id, workflowId: run.workflowId, chain: run.chain },
    steps(writing) {
      const written = writer(withThing(outcome, effect, writing));
      taken = written.taken;
      return [...written.steps, passGateStep(tables.table, run)];
    },
  });
  try {
    const { operation, ...request } = effect;
    await context.stepOperations.run(operation, request, { ...clockOf(context), caller: facts.owner, table });
  } catch (error) {
    if (!table.hasCommitted()) {
      return commitAlone(context, step, refusalIn(error));
    }
  }
  return taken !== undefined && table.hasCommitted() ? taken : commitAlone(context, step, unchanged(outcome));
}

/** @throws what is no refusal: then the step is tried again. */
function refusalIn(error: unknown): Outcome {
  if (error instanceof Failure && error.status < 500) {
    return { status: 'failed', reason: error.message };
  }
  throw error;
}

/** The outcome of an operation that found nothing to do. */
function unchanged(outcome: Outcome): Outcome {
  return outcome.status === 'passed' ? { reason: 'no_changes', ...outcome } : outcome;
}

/** The outcome with the id of what the operation makes or changes. */
function withThing(outcome: Outcome, { thing }: Effect, writing: Writing): Outcome {
  const id = thing && idOfThing(thing, writing);
  return outcome.status !== 'passed' || thing === undefined || id === undefined
    ? outcome
    : { ...outcome, things: { ...outcome.things, [thing]: id } };
}

function idOfThing(thing: string, writing: Writing): string | undefined {
  const told = writing.events.map(({ data }) => data[thing]).find((id) => typeof id === 'string');
  return (told as string | undefined) ?? idOfAdded(writing, thing.replace(/Id$/, '').toUpperCase());
}

async function commitAlone(context: StepContext, step: Deciding, outcome: Outcome): Promise<TakenStep> {
  const { steps, taken } = (await writerOf(context, step, outcome))(outcome);
  await context.tables.table.commit(steps);
  return taken;
}

interface Written {
  readonly steps: readonly Step[];
  readonly taken: TakenStep;
}

/** Writes a step with an outcome like this one: only what it made may differ. */
async function writerOf(
  context: StepContext,
  { stored, run, token, found: { plan } }: Deciding,
  likely: Outcome,
): Promise<(outcome: Outcome) => Written> {
  const { tables, now } = context;
  const isEnd = advanced(plan, run, token, likely, now).run.finishedAt !== undefined;
  const failures = isEnd ? await failuresOf(tables.table, run.workflowId) : 0;
  return (outcome) => {
    const { run: after, receipt } = advanced(plan, run, token, outcome, now);
    const transition = { before: stored, after, receipts: [receipt], failures };
    return {
      steps: runSteps(tables, transition, clockOf(context)),
      taken: { run: next(stored, after), receipt },
    };
  };
}

/** Ends a run with its workflow. */
async function endWith(context: StepContext, before: Stored<Run>, reason: string): Promise<TakenStep> {
  const after = endedRun(before.data, 'cancelled', reason, context.now);
  const { table } = context.tables;
  await table.commit(runSteps(context.tables, { before, after }, clockOf(context)));
  return { run: next(before, after) };
}

const next = ({ key, version }: Stored<Run>, data: Run): Stored<Run> => ({ key, data, version: version + 1 });

const clockOf = ({ now, newId }: StepContext): ClockAndIds => ({ now, newId });
