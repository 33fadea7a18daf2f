import { decodeTime } from 'ulid';
import { Failure } from '../../../../shared/kernel/failure.ts';
import { forEachOrThrow } from '../../../../shared/kernel/for-each-concurrently.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { timestamp } from '../../../../shared/kernel/time.ts';
import type { Cause } from '../../../../shared/table/cause.ts';
import type { PlanSources } from '../definition/plan-row.ts';
import type { Occurrence } from '../definition/topics.ts';
import { nodesAtOnce, type TriggerRow } from '../definition/triggers.ts';
import type { RefusalReason } from '../runs/refusals.ts';
import type { RunTables } from '../runs/run-actions.ts';
import { findPassingNodes, newEventFilter } from './event-filter.ts';
import { ownersIn } from './owners.ts';
import { type Started, type StartingNode, startsInChunks } from './start.ts';
import { type PreparedStart, prepareStarts, spreadStarts, startRuns } from './start-runs.ts';

/** Contacts of one request. Source: the page of workflow runs, "Paths". */
export const maxContacts = 100;

/** Contacts whose runs start at the same time. */
const width = 10;

export interface StartedByHand {
  readonly runs: { readonly runId: string; readonly contactId: string }[];
  readonly refused: { readonly contactId: string; readonly reason: RefusalReason | 'gone' }[];
}

/**
 * Starts the manual triggers of a workflow for contacts that are there.
 * @throws a 409 `Failure` in a step, for more triggers than its transaction has room for.
 */
export async function startByHand(
  tables: RunTables & Pick<PlanSources, 'objects'>,
  {
    row,
    contactIds,
    userId,
    requestId,
  }: {
    readonly row: TriggerRow;
    readonly contactIds: readonly string[];
    readonly userId: string;
    /** A ULID. The same one again finds the runs that it started. */
    readonly requestId: string;
  },
  clock: ClockAndIds,
): Promise<StartedByHand> {
  const { table } = tables;
  const { causedBy } = table;
  if (causedBy !== undefined && row.triggers.length > nodesAtOnce) {
    throw new Failure(
      'CONFLICT',
      `A step can start at most ${nodesAtOnce} triggers of a workflow, and this one has ${row.triggers.length}`,
    );
  }
  const at = new Date(decodeTime(requestId));
  const startable = { ...tables, owners: ownersIn(table) };
  const prepared = new Map<string, readonly PreparedStart[]>();
  await forEachOrThrow(contactIds, width, async (contactId) => {
    const occurrence = manualOccurrence(contactId, { eventId: requestId, userId, causedBy }, at);
    const passing = await findPassingNodes(newEventFilter(table, occurrence, clock.now), row);
    const starts = startsInChunks({ row, occurrence, nodes: nodesFor(row, passing) }, passing);
    prepared.set(contactId, await prepareStarts(startable, starts, clock.now, true));
  });
  const inOrder = contactIds.flatMap((contactId) => prepared.get(contactId) ?? []);
  // Those of a single contact are no burst.
  const starts = contactIds.length === 1 ? inOrder : await spreadStarts(table, inOrder, clock.now);
  const byContact = new Map<string, Started[]>();
  const contactOf = ({ start }: PreparedStart) => start.occurrence.contactId;
  await forEachOrThrow(Map.groupBy(starts, contactOf), width, async ([contactId, some]) => {
    const started: Started[] = [];
    for (const { start, facts } of some) {
      started.push(...(await startRuns(startable, start, clock, facts)));
    }
    byContact.set(contactId, started);
  });
  return startedByContact(contactIds, byContact);
}

/** The nodes to start; without any whose filter lets the contact pass, one to be refused for that. */
function nodesFor({ triggers: [first] }: TriggerRow, passing: readonly string[]): StartingNode[] {
  return passing.length === 0 && first !== undefined
    ? [{ nodeId: first.nodeId, passesFilter: false }]
    : passing.map((nodeId) => ({ nodeId }));
}

/** A contact is refused only if nothing started for it, by the reason of its first trigger. */
function startedByContact(
  contactIds: readonly string[],
  byContact: ReadonlyMap<string, readonly Started[]>,
): StartedByHand {
  const result: StartedByHand = { runs: [], refused: [] };
  for (const contactId of contactIds) {
    const started = byContact.get(contactId) ?? [];
    const runs = started.flatMap((start) => ('runId' in start ? [{ runId: start.runId, contactId }] : []));
    const [reason = 'gone' as const] = started.flatMap((start) =>
      'refused' in start ? [start.refused] : [],
    );
    result.runs.push(...runs);
    if (runs.length === 0) {
      result.refused.push({ contactId, reason });
    }
  }
  return result;
}

/** The start of a run that a user, or a step of another run, asks for. It has no event: `eventId` tells one request from another. */
export function manualOccurrence(
  contactId: string,
  { eventId, userId, causedBy }: { eventId: string; userId: string; causedBy?: Cause | undefined },
  now: Date,
): Occurrence {
  const at = timestamp(now);
  return {
    topic: 'manual.started',
    ...{ eventId, at, contactId },
    people: [],
    fields: { contactId, at, userId },
    ...(causedBy && { causedBy }),
  };
}
