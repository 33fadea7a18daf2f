import { forEachConcurrently } from '../../../../shared/kernel/for-each-concurrently.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { timestamp } from '../../../../shared/kernel/time.ts';
import type { PlanSources } from '../plans/plan-row.ts';
import type { TriggerRow } from '../plans/trigger-rows.ts';
import type { RunTables } from '../runs/run-steps.ts';
import type { RefusalReason } from './guards.ts';
import { manualOccurrence } from './manual-start.ts';
import { ownersIn } from './owners.ts';
import { startTimes } from './pace.ts';
import { type Start, type Started, startRuns } from './start-runs.ts';

/** Contacts of one request. Source: the page of workflow runs, "Paths". */
export const mostContacts = 100;

/** Contacts whose runs start at the same time. */
const width = 10;

/** Triggers whose runs start in one transaction. */
const triggersAtOnce = 6;

export interface StartedByHand {
  readonly runs: { readonly runId: string; readonly contactId: string }[];
  readonly refused: { readonly contactId: string; readonly reason: RefusalReason | 'gone' }[];
}

/** Starts the manual triggers of a workflow for contacts that are there. */
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
  // A step writes once.
  const triggers = causedBy === undefined ? row.triggers : row.triggers.slice(0, triggersAtOnce);
  const eventId = clock.newId();
  const times =
    contactIds.length === 1
      ? []
      : await startTimes(table, row, contactIds.length * triggers.length, clock.now);
  const startable = { ...tables, owners: ownersIn(table) };
  const byContact = new Map<string, readonly Started[]>();
  const [failure] = await forEachConcurrently(contactIds.entries(), width, async ([index, contactId]) => {
    const occurrence = manualOccurrence(contactId, { eventId, userId, causedBy }, clock.now);
    const nodes = triggers.map(({ nodeId }, place) => {
      const time = times[index * triggers.length + place];
      return { nodeId, ...(time !== undefined && { startsAt: timestamp(time) }) };
    });
    byContact.set(contactId, await startAll(startable, { row, occurrence, nodes }, clock));
  });
  if (failure !== undefined) {
    throw failure;
  }
  return toldStarts(contactIds, byContact);
}

async function startAll(
  tables: Parameters<typeof startRuns>[0],
  { nodes, ...start }: Start,
  clock: ClockAndIds,
): Promise<Started[]> {
  const all: Started[] = [];
  for (let first = 0; first < nodes.length; first += triggersAtOnce) {
    const some = nodes.slice(first, first + triggersAtOnce);
    all.push(...(await startRuns(tables, { ...start, nodes: some }, clock)));
  }
  return all;
}

/** A contact is refused only if nothing started for it, by the reason of its first trigger. */
function toldStarts(
  contactIds: readonly string[],
  byContact: ReadonlyMap<string, readonly Started[]>,
): StartedByHand {
  const told: StartedByHand = { runs: [], refused: [] };
  for (const contactId of contactIds) {
    const started = byContact.get(contactId) ?? [];
    const runs = started.flatMap((one) => ('runId' in one ? [{ runId: one.runId, contactId }] : []));
    const [reason = 'gone' as const] = started.flatMap((one) => ('refused' in one ? [one.refused] : []));
    told.runs.push(...runs);
    if (runs.length === 0) {
      told.refused.push({ contactId, reason });
    }
  }
  return told;
}
