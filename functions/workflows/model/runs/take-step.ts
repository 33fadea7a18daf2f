import { Failure } from '../../../../shared/kernel/failure.ts';
import type { Stored } from '../../../../shared/table/table.ts';
import { StepSkipped } from '../../../../shared/workflows/step-skipped.ts';
import { decide, readExtra } from '../execution/engine.ts';
import { performEffect } from './perform-effect.ts';
import type { Run, Token } from './run.ts';
import { inPlan } from './run-changes.ts';
import { RunsEnded } from './run-gate.ts';
import { readStepContext } from './step-context.ts';
import { commitEnd, commitStep, type Step, type StepPorts, type TakenStep } from './write-step.ts';

/**
 * Takes the next step of a token: reads what it depends on, decides, and commits what follows from it in one transaction with its effect.
 * Undefined if the contact was deleted: its run is deleted with it, and does nothing more.
 * @param stored the run as it was read; `run` the same, in which the waits that are over have ended.
 * @throws `RunConflict` when somebody else changed the run meanwhile: then nothing happened.
 */
export async function takeStep(
  ports: StepPorts,
  stored: Stored<Run>,
  run: Run,
  token: Token,
): Promise<TakenStep | undefined> {
  try {
    const found = await ports.planOf(run);
    return found === undefined
      ? await commitEnd(ports, stored, 'workflow_deleted')
      : await decideAndCommit(ports, { stored, run: inPlan(run, found), token, found });
  } catch (error) {
    if (error instanceof RunsEnded) {
      return commitEnd(ports, stored, error.reason);
    }
    throw error;
  }
}

/** @param refused the `Failure` that refused the effect before, if one did. */
async function decideAndCommit(
  ports: StepPorts,
  step: Step,
  refused?: Failure,
): Promise<TakenStep | undefined> {
  const { run, token, found } = step;
  const { now, tables } = ports;
  const context = await readStepContext(tables.table, found.plan, run);
  if (context.state === undefined && run.topic !== 'contact.deleted') {
    return undefined;
  }
  const extra = await readExtra(found.plan, run, token, context, { table: tables.table, now });
  const { outcome, effect, roundRobin, request } = decide(found.plan, run, token, context, extra, now);
  if (effect === undefined) {
    return commitStep(ports, { ...step, request }, outcome);
  }
  if (context.owner === undefined) {
    return commitStep(ports, step, { status: 'skipped', reason: 'owner_disabled' });
  }
  try {
    return await performEffect(
      ports,
      { ...step, roundRobin },
      {
        ...{ outcome, effect, caller: context.owner },
        ...(context.bound && { bound: context.bound }),
      },
    );
  } catch (error) {
    if (error instanceof StepSkipped) {
      return commitStep(ports, step, { status: 'skipped', reason: error.reason });
    }
    if (!(error instanceof Failure) || error.status >= 500) {
      throw error;
    }
    // The context may have changed since the decision: then a new decision has the better reason.
    return refused === undefined
      ? decideAndCommit(ports, step, error)
      : commitStep(ports, step, { status: 'failed', reason: error.message });
  }
}
