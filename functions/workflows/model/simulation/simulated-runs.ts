import type { StoredContact } from '../../../../shared/contacts/contact.ts';
import { contactIdIn } from '../../../../shared/kernel/child-id.ts';
import { Failure } from '../../../../shared/kernel/failure.ts';
import { timestamp } from '../../../../shared/kernel/time.ts';
import { involvedPeople } from '../../../../shared/organizations/visibility.ts';
import type { RunStatus } from '../../../../shared/workflows/run-statuses.ts';
import { nodeTypeNamed } from '../definition/catalogue.ts';
import { findNode } from '../definition/plan.ts';
import type { Occurrence } from '../definition/topics.ts';
import { type StartingTrigger, startingTriggers } from '../definition/triggers.ts';
import type { WorkflowHeader } from '../definition/workflow.ts';
import { holds, startingRun } from '../execution/engine.ts';
import type { Run } from '../runs/run.ts';
import { startActions } from '../runs/run-actions.ts';
import { readStepContext } from '../runs/step-context.ts';
import { ownersIn, refusalByOwner } from '../triggers/owners.ts';
import { runIdFor } from '../triggers/start.ts';
import { clockAt, type SimulatedStep, type Simulation, simulateRun } from './simulated-run.ts';

/** The result of one trigger. */
export interface SimulatedStart {
  readonly nodeId: string;
  /** `running` or `waiting` if there was no room or time to follow it to its end. */
  readonly status: RunStatus | 'refused';
  readonly reason?: string;
}

export interface SimulatedRuns {
  readonly path: readonly SimulatedStep[];
  readonly runs: readonly SimulatedStart[];
}

/**
 * Simulates an occurrence, as if the workflow were enabled as it is: the runs of all its triggers for the topic, one after the
 * other. How often the contact has entered it before does not matter.
 * @throws a 409 `Failure` for a workflow without a trigger for the topic.
 */
export async function simulateRuns(
  simulation: Simulation,
  { _id: workflowId, userId }: Pick<WorkflowHeader, '_id' | 'userId'>,
  occurrence: Occurrence,
  contact: StoredContact,
): Promise<SimulatedRuns> {
  const { topic } = occurrence;
  const triggers = startingTriggers(simulation.plan).starting.filter((trigger) => trigger.topic === topic);
  if (triggers.length === 0) {
    throw new Failure('CONFLICT', `The workflow has no trigger for ${topic} that starts runs.`);
  }
  const most = simulation.plan.confirmed?.most;
  const owner = await ownersIn(simulation.tables.table).read({ userId, ...(most && { most }) });
  const refused = refusalByOwner(owner, involvedPeople(contact));
  const path: SimulatedStep[] = [];
  const runs: SimulatedStart[] = [];
  for (const trigger of triggers) {
    if (path.length >= simulation.stepsLeft() || simulation.timeLeft() <= 0) {
      break;
    }
    const { nodeId } = trigger;
    const run =
      refused === undefined
        ? await startedRun(simulation, { workflowId, userId }, occurrence, trigger)
        : undefined;
    if (run === undefined) {
      runs.push({ nodeId, status: 'refused', reason: refused ?? 'filter_not_met' });
      continue;
    }
    const { steps, run: after } = await simulateRun(
      { ...simulation, stepsLeft: () => simulation.stepsLeft() - path.length },
      run,
    );
    path.push(...steps);
    const { status, reason } = after;
    runs.push({ nodeId, status, ...(reason !== undefined && { reason }) });
  }
  return { path, runs };
}

/** Starts a run in the tables of the simulation; undefined if the trigger's filter does not let the occurrence pass. */
async function startedRun(
  simulation: Simulation,
  { workflowId, userId }: Pick<Run, 'workflowId' | 'userId'>,
  occurrence: Occurrence,
  trigger: StartingTrigger,
): Promise<Run | undefined> {
  const { tables, plan } = simulation;
  const now = new Date(occurrence.at);
  const _id = runIdFor(occurrence, workflowId, trigger.nodeId);
  const run = startingRun(
    {
      ...{ _id, workflowId, userId, contactId: contactIdIn(_id), revision: 1 },
      ...{ triggerId: trigger.nodeId, topic: occurrence.topic, chain: [workflowId] },
    },
    now,
  );
  await tables.table.commit(startActions(tables, run, occurrence.fields, clockAt(simulation, now)));
  const context = await readStepContext(tables.table, plan, run);
  return holds(trigger, { context, now }) ? run : undefined;
}

/** @throws a 400 `Failure` for a decision about a node that waits for no event. */
export function requireWaits({ plan, decisions }: Pick<Simulation, 'plan' | 'decisions'>): void {
  for (const nodeId of Object.keys(decisions)) {
    const { type = '' } = findNode(plan, nodeId) ?? {};
    if (nodeTypeNamed(type)?.awaits === undefined) {
      throw new Failure('INVALID', 'decisions must name nodes of the type waitForEvent of this workflow');
    }
  }
}

interface SimulatedEvent {
  readonly eventId: string;
  /** Who starts it, if it is started by hand. */
  readonly userId: string;
  readonly at: Date;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Something that might happen to a contact, or that this user starts by hand. */
export function simulatedOccurrence(
  topic: Occurrence['topic'],
  contact: StoredContact,
  { eventId, userId, at, fields }: SimulatedEvent,
): Occurrence {
  const contactId = contact._id;
  return {
    ...{ topic, eventId, contactId, at: timestamp(at), people: involvedPeople(contact) },
    fields: { contactId, at: timestamp(at), ...(topic === 'manual.started' && { userId }), ...fields },
  };
}
