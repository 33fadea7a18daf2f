import { Failure } from '../../../../shared/kernel/failure.ts';
import type { Stored } from '../../../../shared/table/table.ts';
import { StepSkipped } from '../../../../shared/workflows/step-skipped.ts';
import { decide, extraOf } from '../execution/engine.ts';
import { performEffect } from './perform-effect.ts';
import type { Run, Token } from './run.ts';
import { inPlan } from './run-changes.ts';
import { factsOf } from './run-facts.ts';
import { RunsEnded } from './run-gate.ts';
import { commitEnd, commitStep, type Step, type StepContext, type TakenStep } from './write-step.ts';

/**
 * Takes the next step of a token: reads what it depends on, decides, and commits what follows from it in one transaction with its effect.
 * Undefined if the contact was deleted: its run is deleted with it, and does nothing more.
 * @param stored the run as it was read; `run` the same, in which the waits that are over have ended.
 * @throws `RunConflict` when somebody else changed the run meanwhile: then nothing happened.
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
      ? await commitEnd(context, stored, 'workflow_deleted')
      : await decideAndCommit(context, { stored, run: inPlan(run, found), token, found });
  } catch (error) {
    if (error instanceof RunsEnded) {
      return commitEnd(context, stored, error.reason);
    }
    throw error;
  }
}

/** @param refused the `Failure` that refused the effect before, if one did. */
async function decideAndCommit(
  context: StepContext,
  step: Step,
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
    return commitStep(context, step, outcome);
  }
  if (facts.owner === undefined) {
    return commitStep(context, step, { status: 'skipped', reason: 'owner_disabled' });
  }
  try {
    return await performEffect(
      context,
      { ...step, turn },
      {
        ...{ outcome, effect, caller: facts.owner },
        ...(facts.bound && { bound: facts.bound }),
      },
    );
  } catch (error) {
    if (error instanceof StepSkipped) {
      return commitStep(context, step, { status: 'skipped', reason: error.reason });
    }
    if (!(error instanceof Failure) || error.status >= 500) {
      throw error;
    }
    // The facts may have changed since the decision: then a new decision has the better reason.
    return refused === undefined
      ? decideAndCommit(context, step, error)
      : commitStep(context, step, { status: 'failed', reason: error.message });
  }
}
