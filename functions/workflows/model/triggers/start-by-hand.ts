import { Failure } from '../../../../shared/kernel/failure.ts';
import { forEachOrThrow } from '../../../../shared/kernel/for-each-concurrently.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { timestamp } from '../../../../shared/kernel/time.ts';
import type { PlanSources } from '../definition/plan-row.ts';
import { nodesAtOnce, type TriggerRow } from '../definition/trigger-rows.ts';
import type { RefusalReason } from '../runs/refusals.ts';
import type { RunTables } from '../runs/run-actions.ts';
import { eventFilterOf, passingNodes } from './event-filter.ts';
import { expectedStarts } from './expected-starts.ts';
import { manualOccurrence } from './manual-start.ts';
import { ownersIn } from './owners.ts';
import { type Start, type Started, type StartingNode, type StartTables, startsOf } from './start.ts';
import { startRuns } from './start-runs.ts';
import { startTimes } from './start-times.ts';

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
  }: { readonly row: TriggerRow; readonly contactIds: readonly string[]; readonly userId: string },
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
  const eventId = clock.newId();
  const starts: Start[] = [];
  await forEachOrThrow(contactIds, width, async (contactId) => {
    const occurrence = manualOccurrence(contactId, { eventId, userId, causedBy }, clock.now);
    const passing = await passingNodes(eventFilterOf(table, occurrence, clock.now), row);
    starts.push({ row, occurrence, nodes: nodesFor(row, passing) });
  });
  const startable = { ...tables, owners: ownersIn(table) };
  const timed = await timedStarts(startable, inOrder(starts, contactIds), clock.now);
  const byContact = new Map<string, readonly Started[]>();
  await forEachOrThrow(timed, width, async (start) => {
    byContact.set(start.occurrence.contactId, await startAll(startable, start, clock));
  });
  return startedByContact(contactIds, byContact);
}

/** The nodes to start; without any whose filter lets the contact pass, one to be refused for that. */
function nodesFor({ triggers: [first] }: TriggerRow, passing: readonly string[]): StartingNode[] {
  return passing.length === 0 && first !== undefined
    ? [{ nodeId: first.nodeId, passesFilter: false }]
    : passing.map((nodeId) => ({ nodeId }));
}

function inOrder(starts: readonly Start[], contactIds: readonly string[]): Start[] {
  const places = new Map(contactIds.map((contactId, index) => [contactId, index]));
  const placeOf = ({ occurrence }: Start) => places.get(occurrence.contactId) ?? 0;
  return starts.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/**
 * Each start at its time: bursts of a workflow are spread. Those of a single contact are no burst, and what the guards do not let start
 * takes no place.
 */
async function timedStarts(
  tables: Pick<StartTables, 'table' | 'owners'>,
  starts: readonly Start[],
  now: Date,
): Promise<readonly Start[]> {
  const [start, ...others] = starts;
  if (start === undefined || others.length === 0) {
    return starts;
  }
  const starting = new Map<Start, ReadonlySet<string>>();
  await forEachOrThrow(starts, width, async (one) => {
    const passing = one.nodes.filter(isPassing).map(({ nodeId }) => nodeId);
    const candidates = passing.length === 0 ? [] : [{ row: one.row, passing }];
    const [expected] = await expectedStarts(tables, one.occurrence, candidates, new Map(), now);
    starting.set(one, expected?.starting ?? new Set());
  });
  const count = [...starting.values()].reduce((sum, { size }) => sum + size, 0);
  const times = count === 0 ? [] : await startTimes(tables.table, start.row, count, now);
  return starts.map((one) => ({
    ...one,
    nodes: one.nodes.map((node) => {
      const time = starting.get(one)?.has(node.nodeId) ? times.shift() : undefined;
      return { ...node, ...(time && { startsAt: timestamp(time) }) };
    }),
  }));
}

const isPassing = ({ passesFilter = true }: StartingNode) => passesFilter;

async function startAll(
  tables: Parameters<typeof startRuns>[0],
  start: Start,
  clock: ClockAndIds,
): Promise<Started[]> {
  const all: Started[] = [];
  const nodeIds = start.nodes.map(({ nodeId }) => nodeId);
  for (const part of startsOf(start, nodeIds)) {
    all.push(...(await startRuns(tables, part, clock)));
  }
  return all;
}

/** A contact is refused only if nothing started for it, by the reason of its first trigger. */
function startedByContact(
  contactIds: readonly string[],
  byContact: ReadonlyMap<string, readonly Started[]>,
): StartedByHand {
  const result: StartedByHand = { runs: [], refused: [] };
  for (const contactId of contactIds) {
    const started = byContact.get(contactId) ?? [];
    const runs = started.flatMap((one) => ('runId' in one ? [{ runId: one.runId, contactId }] : []));
    const [reason = 'gone' as const] = started.flatMap((one) => ('refused' in one ? [one.refused] : []));
    result.runs.push(...runs);
    if (runs.length === 0) {
      result.refused.push({ contactId, reason });
    }
  }
  return result;
}
