import { contactKey } from '../../../../shared/contacts/contact.ts';
import { chunks } from '../../../../shared/kernel/chunks.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { type Timestamp, timestamp } from '../../../../shared/kernel/time.ts';
import { type Action, type Stored, VersionConflict } from '../../../../shared/table/table.ts';
import { peopleOf } from '../../../../shared/visibility.ts';
import { started } from '../engine/lifecycle.ts';
import { endingTopics } from '../graph/ending-topics.ts';
import type { Plan } from '../graph/plan.ts';
import { type PlanSources, readPlan } from '../plans/plan-row.ts';
import { passStartGateAction, RunsEnded, StartsClosed } from '../plans/run-gate.ts';
import type { TriggerRow } from '../plans/trigger-rows.ts';
import { enrolmentKey } from '../runs/enrolment.ts';
import { ownStepOf } from '../runs/operation-table.ts';
import { type Run, runKey } from '../runs/run.ts';
import { ContactGone, RunExists, type RunTables, startActions } from '../runs/run-actions.ts';
import { RunMoved } from '../runs/run-moved.ts';
import type { Occurrence } from '../topics/topics.ts';
import { enrolAction, enrolmentIn } from './entering.ts';
import { entered, type RefusalReason, refusalOf } from './guards.ts';
import { nodesAtOnce } from './nodes-at-once.ts';
import { isSeen, type Owner, type Owners, refusalByOwner } from './owners.ts';
import { newRefusal, type Refusal, refusalActions, refusalKey } from './refusals.ts';
import { runIdOf } from './run-id.ts';

export interface StartTables extends RunTables, Pick<PlanSources, 'objects'> {
  readonly owners: Owners;
}

export interface StartingNode {
  readonly nodeId: string;
  /** At once unless stated. */
  readonly startsAt?: Timestamp;
  /** False for one whose filter does not let the occurrence pass: it is refused, and that is told. True unless stated. */
  readonly passesFilter?: boolean;
  /** Of the run, in place of the id that the occurrence gives: for a run that is to be found by it. */
  readonly runId?: string;
}

/** Trigger nodes of one workflow that one occurrence starts. */
export interface Start {
  readonly row: TriggerRow;
  readonly occurrence: Occurrence;
  /** At most six: each has a run of its own, and all of them start in one transaction. */
  readonly nodes: readonly StartingNode[];
  /** Other trigger nodes of the workflow that the same occurrence starts, before or after these. */
  readonly others?: readonly string[];
}

/**
 * The starts of any number of trigger nodes, a transaction each.
 * @param all the trigger nodes of the workflow that the occurrence starts, also those that have a run already.
 */
export function startsOf(start: Start, all: readonly string[]): Start[] {
  const { nodes } = start;
  return chunks(nodes, nodesAtOnce).map((part) => {
    const own = new Set(part.map(({ nodeId }) => nodeId));
    return { ...start, nodes: part, others: all.filter((nodeId) => !own.has(nodeId)) };
  });
}

/** What became of a trigger node. */
export type Started =
  | { readonly nodeId: string; readonly runId: string }
  | { readonly nodeId: string; readonly refused: RefusalReason };

/**
 * Starts the runs of a workflow at an occurrence, once however often it is told: what was decided the first time holds. All that belongs
 * to their start, and the record of those that may not start, is one transaction.
 * @returns one for each node; none if the contact is gone, the workflow was disabled or deleted meanwhile, or the owner may not see the
 *   contact of an event.
 */
export async function startRuns(
  tables: StartTables,
  start: Start,
  clock: ClockAndIds,
): Promise<readonly Started[]> {
  const { table } = tables;
  return table.optimistically(async () => {
    const found = await startFactsOf(tables, start);
    if (found === undefined) {
      return [];
    }
    const { results, actions } = decided(tables, start, found, clock);
    if (actions.length > 0) {
      try {
        await table.commit(actions);
      } catch (error) {
        if (error instanceof RunExists) {
          // Another delivery was faster, perhaps with some of them only.
          throw new VersionConflict();
        }
        if (error instanceof RunsEnded && ownStepOf(table, start.row.workflowId) !== undefined) {
          // The step that starts its own workflow belongs to a run that has ended, too.
          throw new RunMoved();
        }
        if (error instanceof ContactGone || error instanceof StartsClosed || error instanceof RunsEnded) {
          return [];
        }
        throw error;
      }
    }
    return results;
  });
}

function idOf({ nodeId, runId }: StartingNode, occurrence: Occurrence, workflowId: string): string {
  return runId ?? runIdOf(occurrence, workflowId, nodeId);
}

/** All that a start depends on. */
interface StartFacts {
  readonly plan: Plan;
  /** Undefined for one who is gone. */
  readonly owner: Owner | undefined;
  readonly people: readonly string[];
  readonly enrolment: Stored<never> | undefined;
  /** What was decided before, by node. */
  readonly earlier: ReadonlyMap<string, Started>;
  /** Whether the occurrence has started a run of the workflow before. */
  readonly hasStarted: boolean;
}

/** Reads it in one round trip; undefined if the contact or the plan is gone. */
async function startFactsOf(
  { table, objects, owners }: StartTables,
  { row: { workflowId, userId, revision }, occurrence, nodes, others = [] }: Start,
): Promise<StartFacts | undefined> {
  const { contactId, topic, people } = occurrence;
  const ids = nodes.map((node) => idOf(node, occurrence, workflowId));
  const otherIds = others.map((nodeId) => runIdOf(occurrence, workflowId, nodeId));
  const [plan, owner, contact, enrolment, runs, refusals] = await Promise.all([
    readPlan({ table, objects }, workflowId, revision),
    owners.read(userId),
    topic === 'contact.deleted' ? undefined : table.read(contactKey(contactId)),
    table.read(enrolmentKey(contactId, workflowId)),
    table.readMany([...ids, ...otherIds].map(runKey)),
    table.readMany(ids.map((id) => refusalKey(workflowId, id))),
  ]);
  if (plan === undefined || (contact === undefined && topic !== 'contact.deleted')) {
    return undefined;
  }
  const earlier = nodes.flatMap(({ nodeId }, index): [string, Started][] => {
    const refusal = refusals[index]?.data;
    if (runs[index] !== undefined) {
      return [[nodeId, { nodeId, runId: ids[index] ?? '' }]];
    }
    return refusal === undefined ? [] : [[nodeId, { nodeId, refused: refusal.reason }]];
  });
  return {
    ...{ plan, owner, enrolment },
    people: contact === undefined ? people : peopleOf(contact.data),
    earlier: new Map(earlier),
    hasStarted: runs.some((run) => run !== undefined),
  };
}

/** What becomes of each node, and the actions that do it. */
function decided(
  tables: StartTables,
  { row, occurrence, nodes }: Start,
  { plan, owner, people, enrolment: stored, earlier, hasStarted }: StartFacts,
  clock: ClockAndIds,
): { readonly results: readonly Started[]; readonly actions: readonly Action[] } {
  const { table } = tables;
  const { now } = clock;
  const { workflowId, reentry } = row;
  const { contactId, causedBy } = occurrence;
  const causes = causedBy?.chain ?? [];
  if (occurrence.topic !== 'manual.started' && !isSeen(owner, people)) {
    // Even that a filter let the event pass would tell something of a contact that the owner may not see.
    return { results: [], actions: [] };
  }
  const was = enrolmentIn(stored);
  // Whether the contact may enter again was decided with the first run of the occurrence.
  const before = hasStarted ? undefined : was;
  let enrolment = was;
  const runs: Run[] = [];
  const refusals = new Map<string, Refusal>();
  const results = nodes.map((node): Started => {
    const { nodeId, startsAt, passesFilter = true } = node;
    const known = earlier.get(nodeId);
    if (known !== undefined) {
      return known;
    }
    const runId = idOf(node, occurrence, workflowId);
    const refused =
      refusalByOwner(owner, people) ??
      (passesFilter ? refusalOf({ workflowId, reentry, causes, before, enrolment, now }) : 'filter_not_met');
    if (refused !== undefined) {
      refusals.set(runId, newRefusal(refused, { contactId, nodeId, chain: causes }, now));
      return { nodeId, refused };
    }
    enrolment = entered(enrolment, runId, timestamp(now));
    runs.push(newRun({ row, occurrence, plan }, { runId, nodeId, startsAt }, now));
    return { nodeId, runId };
  });
  const actions = [
    ...runs.flatMap((run) => startActions(tables, run, occurrence.fields, clock)),
    ...(runs[0] === undefined ? [] : [passStartGateAction(table, runs[0])]),
    ...(enrolment === undefined || enrolment === was || occurrence.topic === 'contact.deleted'
      ? []
      : [enrolAction(table, row, contactId, was, enrolment)]),
    ...refusalActions(table, workflowId, refusals, now),
  ];
  return { results, actions: withoutRepetitions(actions) };
}

function newRun(
  {
    row: { workflowId, userId, revision },
    occurrence,
    plan,
  }: Pick<Start, 'row' | 'occurrence'> & { plan: Plan },
  { runId, nodeId, startsAt }: { runId: string; nodeId: string; startsAt: Timestamp | undefined },
  now: Date,
): Run {
  const { contactId, topic, causedBy } = occurrence;
  const run = started(
    {
      _id: runId,
      ...{ workflowId, contactId, userId, revision, topic },
      triggerId: nodeId,
      chain: [...(causedBy?.chain ?? []), workflowId],
    },
    now,
  );
  const endedBy = topic === 'contact.deleted' ? [] : endingTopics(plan);
  return {
    ...run,
    ...(endedBy.length > 0 && { endedBy }),
    ...(startsAt !== undefined && startsAt > timestamp(now) && { status: 'waiting', startsAt }),
  };
}

/** Runs that start together require the same of their contact, and a transaction takes one action for each record. */
function withoutRepetitions(actions: readonly Action[]): Action[] {
  const known = new Set<string>();
  return actions.filter(({ request }) => {
    const text = JSON.stringify(request);
    const isNew = !known.has(text);
    known.add(text);
    return isNew;
  });
}
