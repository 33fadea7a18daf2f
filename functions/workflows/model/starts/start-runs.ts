import { contactKey } from '../../../../shared/contacts/contact.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { type Timestamp, timestamp } from '../../../../shared/kernel/time.ts';
import { type Step, type Stored, VersionConflict } from '../../../../shared/table/table.ts';
import { peopleOf, type Scope, sees } from '../../../../shared/visibility.ts';
import { started } from '../engine/lifecycle.ts';
import { endingTopics } from '../graph/ending-topics.ts';
import type { Plan } from '../graph/plan.ts';
import { type PlanSources, readPlan } from '../plans/plan-row.ts';
import { passGateStep, RunsEnded } from '../plans/run-gate.ts';
import type { TriggerRow } from '../plans/trigger-rows.ts';
import { enrolmentKey } from '../runs/enrolment.ts';
import { type Run, runKey } from '../runs/run.ts';
import { ContactGone, RunExists, type RunTables, startSteps } from '../runs/run-steps.ts';
import type { Occurrence } from '../topics/topics.ts';
import { type Enrolment, entered, type RefusalReason, refusalOf } from './guards.ts';
import type { Owners } from './owners.ts';
import { newRefusal, type Refusal, refusalKey, refusalSteps } from './refusals.ts';
import { runIdOf } from './run-id.ts';

export interface StartTables extends RunTables, Pick<PlanSources, 'objects'> {
  readonly owners: Owners;
}

/** Trigger nodes of one workflow that one occurrence starts. */
export interface Start {
  readonly row: TriggerRow;
  readonly occurrence: Occurrence;
  /** At most six: each has a run of its own, and all of them start in one transaction. */
  readonly nodes: readonly StartedNode[];
}

interface StartedNode {
  readonly nodeId: string;
  readonly startsAt?: Timestamp;
  /** Of the run, in place of the id that the occurrence gives: for a run that is to be found by it. */
  readonly runId?: string;
}

/** What became of a trigger node. */
export type Started =
  | { readonly nodeId: string; readonly runId: string }
  | { readonly nodeId: string; readonly refused: RefusalReason };

/**
 * Starts the runs of a workflow at an occurrence, once however often it is told: what was decided the first time holds. All that belongs
 * to their start, and the record of those that may not start, is one transaction.
 * @returns one for each node; none if the contact is gone, or the workflow was ended meanwhile.
 */
export async function startRuns(
  tables: StartTables,
  start: Start,
  clock: ClockAndIds,
): Promise<readonly Started[]> {
  const { table } = tables;
  return table.optimistically(async () => {
    const found = await situationOf(tables, start);
    if (found === undefined) {
      return [];
    }
    const { results, steps } = decided(tables, start, found, clock);
    if (steps.length > 0) {
      try {
        await table.commit(steps);
      } catch (error) {
        if (error instanceof RunExists) {
          // Another delivery was faster, perhaps with some of them only.
          throw new VersionConflict();
        }
        if (error instanceof ContactGone || error instanceof RunsEnded) {
          return [];
        }
        throw error;
      }
    }
    return results;
  });
}

function idOf({ nodeId, runId }: StartedNode, occurrence: Occurrence, workflowId: string): string {
  return runId ?? runIdOf(occurrence, workflowId, nodeId);
}

/** All that a start depends on. */
interface Situation {
  readonly plan: Plan;
  /** Undefined for an owner who is disabled or gone. */
  readonly scope: Scope | undefined;
  readonly people: readonly string[];
  readonly enrolment: Stored<never> | undefined;
  /** What was decided before, by node. */
  readonly earlier: ReadonlyMap<string, Started>;
}

/** Reads it in one round trip; undefined if the contact or the plan is gone. */
async function situationOf(
  { table, objects, owners }: StartTables,
  { row: { workflowId, userId, revision }, occurrence, nodes }: Start,
): Promise<Situation | undefined> {
  const { contactId, topic, people } = occurrence;
  const ids = nodes.map((node) => idOf(node, occurrence, workflowId));
  const [plan, scope, contact, enrolment, runs, refusals] = await Promise.all([
    readPlan({ table, objects }, workflowId, revision),
    owners.scopeOf(userId),
    topic === 'contact.deleted' ? undefined : table.read(contactKey(contactId)),
    table.read(enrolmentKey(contactId, workflowId)),
    table.readMany(ids.map(runKey)),
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
    ...{ plan, scope, enrolment },
    people: contact === undefined ? people : peopleOf(contact.data),
    earlier: new Map(earlier),
  };
}

/** What becomes of each node, and the steps that do it. */
function decided(
  tables: StartTables,
  { row, occurrence, nodes }: Start,
  { plan, scope, people, enrolment: stored, earlier }: Situation,
  clock: ClockAndIds,
): { readonly results: readonly Started[]; readonly steps: readonly Step[] } {
  const { table } = tables;
  const { now } = clock;
  const { workflowId, reentry } = row;
  const { contactId, causedBy } = occurrence;
  const causes = causedBy?.chain ?? [];
  const was = enrolmentIn(stored);
  let enrolment = was;
  const runs: Run[] = [];
  const refusals = new Map<string, Refusal>();
  const results = nodes.map((node): Started => {
    const { nodeId, startsAt } = node;
    const known = earlier.get(nodeId);
    if (known !== undefined) {
      return known;
    }
    const runId = idOf(node, occurrence, workflowId);
    const refused = unseen(scope, people) ?? refusalOf({ workflowId, reentry, causes, enrolment, now });
    if (refused !== undefined) {
      refusals.set(runId, newRefusal(refused, { contactId, nodeId, chain: causes }, now));
      return { nodeId, refused };
    }
    enrolment = entered(enrolment, timestamp(now));
    runs.push(newRun({ row, occurrence, plan }, { runId, nodeId, startsAt }, now));
    return { nodeId, runId };
  });
  const steps = [
    ...runs.flatMap((run) => startSteps(tables, run, occurrence.fields, clock)),
    ...(runs[0] === undefined ? [] : [passGateStep(table, runs[0])]),
    ...(enrolment === undefined || enrolment === was || occurrence.topic === 'contact.deleted'
      ? []
      : [enteringStep(tables, row, contactId, was, enrolment)]),
    ...refusalSteps(table, workflowId, refusals, now),
  ];
  return { results, steps: withoutRepetitions(steps) };
}

function unseen(scope: Scope | undefined, people: readonly string[]): RefusalReason | undefined {
  if (scope === undefined) {
    return 'owner_disabled';
  }
  return sees(scope, people) ? undefined : 'contact_not_visible';
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

/** What the native attributes say. */
function enrolmentIn(stored: Stored<never> | undefined): Enrolment | undefined {
  if (stored === undefined) {
    return undefined;
  }
  const { running = 0, lastStarts = '' } = (stored.attributes ?? {}) as {
    running?: number;
    lastStarts?: string;
  };
  return { running, lastStarts: lastStarts === '' ? [] : lastStarts.split(' ') };
}

/** Writes the record that one start more has made, unless another start came first, or, where that matters, an end. */
function enteringStep(
  { table }: StartTables,
  { workflowId, reentry }: TriggerRow,
  contactId: string,
  was: Enrolment | undefined,
  is: Enrolment,
): Step {
  const isSame = ['lastStarts = :was', ...(reentry === 'after_finish' ? ['running = :running'] : [])];
  return table.updateStep(enrolmentKey(contactId, workflowId), {
    update: 'SET lastStarts = :is ADD running :more',
    when: was === undefined ? 'attribute_not_exists(lastStarts)' : isSame.join(' AND '),
    values: {
      is: is.lastStarts.join(' '),
      more: is.running - (was?.running ?? 0),
      ...(was !== undefined && { was: was.lastStarts.join(' ') }),
      ...(was !== undefined && reentry === 'after_finish' && { running: was.running }),
    },
  });
}

/** Runs that start together require the same of their contact, and a transaction takes one step for each record. */
function withoutRepetitions(steps: readonly Step[]): Step[] {
  const known = new Set<string>();
  return steps.filter(({ request }) => {
    const text = JSON.stringify(request);
    const isNew = !known.has(text);
    known.add(text);
    return isNew;
  });
}
