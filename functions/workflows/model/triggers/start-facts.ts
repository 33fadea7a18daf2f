import { readContact } from '../../../../shared/contacts/holdings.ts';
import { involvedPeople } from '../../../../shared/organizations/visibility.ts';
import type { Plan } from '../definition/plan.ts';
import { readPlan } from '../definition/plan-row.ts';
import { enrollmentIn, enrollmentKey } from '../runs/enrollment.ts';
import { refusalKey } from '../runs/refusals.ts';
import { runKey } from '../runs/run.ts';
import type { Enrollment } from './decide-starts.ts';
import type { Owner } from './owners.ts';
import { runIdFor, type Start, type Started, type StartTables, startedRunId } from './start.ts';

/** All that a start depends on. */
export interface StartFacts {
  readonly plan: Plan;
  /** Undefined if the owner is gone. */
  readonly owner: Owner | undefined;
  readonly people: readonly string[];
  /** The contact of the occurrence, or the one that it was merged into since. */
  readonly ownerId: string;
  /** Undefined for a contact that never entered. */
  readonly enrollment: Enrollment | undefined;
  /** Earlier decisions, by node. */
  readonly earlier: ReadonlyMap<string, Started>;
  /** Whether the occurrence has started a run of the workflow before. */
  readonly hasStarted: boolean;
}

/** Reads it in one round trip; undefined if the contact or the plan is gone. */
export async function readStartFacts(
  { table, objects, owners }: StartTables,
  start: Start,
): Promise<StartFacts | undefined> {
  const { row, occurrence, nodes, others = [] } = start;
  const { workflowId, revision } = row;
  const { contactId, topic, people } = occurrence;
  const ids = nodes.map((node) => startedRunId(node, start));
  const otherIds = others.map((nodeId) => runIdFor(occurrence, workflowId, nodeId));
  const [plan, owner, contact, enrollment, runs, refusals] = await Promise.all([
    readPlan({ table, objects }, workflowId, revision),
    owners.read(row),
    topic === 'contact.deleted' ? undefined : readContact(table, contactId),
    table.read(enrollmentKey(contactId, workflowId)),
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
    ...{ plan, owner },
    enrollment: enrollmentIn(enrollment),
    ownerId: contact?.data._id ?? contactId,
    people: contact === undefined ? people : involvedPeople(contact.data),
    earlier: new Map(earlier),
    hasStarted: runs.some((run) => run !== undefined),
  };
}
