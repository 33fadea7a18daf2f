import { childId } from '../../../../shared/kernel/child-id.ts';
import { chunks } from '../../../../shared/kernel/chunks.ts';
import { idFromText } from '../../../../shared/kernel/id-at.ts';
import type { Timestamp } from '../../../../shared/kernel/time.ts';
import type { PlanSources } from '../definition/plan-row.ts';
import type { Occurrence } from '../definition/topics.ts';
import { nodesAtOnce, type TriggerRow } from '../definition/triggers.ts';
import type { RefusalReason } from '../runs/refusals.ts';
import type { RunTables } from '../runs/run-actions.ts';
import type { Owners } from './owners.ts';

export interface StartTables extends RunTables, Pick<PlanSources, 'objects'> {
  readonly owners: Owners;
}

/** Trigger nodes of one workflow that one occurrence starts. */
export interface Start {
  readonly row: TriggerRow;
  readonly occurrence: Occurrence;
  /** At most `nodesAtOnce`: each has a run of its own, and all of them start in one transaction. */
  readonly nodes: readonly StartingNode[];
  /** Other trigger nodes of the workflow that the same occurrence starts, before or after these. */
  readonly others?: readonly string[];
}

export interface StartingNode {
  readonly nodeId: string;
  /** At once unless stated. */
  readonly startsAt?: Timestamp;
  /** False for one whose filter does not let the occurrence pass: it is refused, and that is recorded. True unless stated. */
  readonly passesFilter?: boolean;
  /** Replaces the id that the occurrence gives the run, which is then found by it. */
  readonly runId?: string;
}

/** The result of a trigger node. */
export type Started =
  | { readonly nodeId: string; readonly runId: string }
  | { readonly nodeId: string; readonly refused: RefusalReason };

/**
 * The starts of any number of trigger nodes, a transaction each.
 * @param all the trigger nodes of the workflow that the occurrence starts, also nodes that have a run already.
 */
export function startsInChunks(start: Start, all: readonly string[]): Start[] {
  const { nodes } = start;
  return chunks(nodes, nodesAtOnce).map((part) => {
    const nodeIds = new Set(part.map(({ nodeId }) => nodeId));
    return { ...start, nodes: part, others: all.filter((nodeId) => !nodeIds.has(nodeId)) };
  });
}

/** The id of the run that starts at a node. */
export function startedRunId({ nodeId, runId }: StartingNode, { row, occurrence }: Start): string {
  return runId ?? runIdFor(occurrence, row.workflowId, nodeId);
}

/**
 * The id of the run that a trigger starts at an occurrence: the same however often it is delivered, so that a second delivery of an event
 * meets the run of the first. It has the time of the event. The runs of a contact's deletion lie in a partition of their own: that of
 * the contact is emptied. The part before the contact's id is another one for each contact too, so that a cursor need not name it.
 */
export function runIdFor(
  { topic, eventId, contactId, at }: Occurrence,
  workflowId: string,
  nodeId: string,
): string {
  const id = idFromText(new Date(at), JSON.stringify([workflowId, nodeId, topic, eventId, contactId]));
  return childId(topic === 'contact.deleted' ? `${contactId}-deleted` : contactId, id);
}
