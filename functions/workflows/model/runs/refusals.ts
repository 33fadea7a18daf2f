import { crc32 } from 'node:zlib';
import { after, day, type Timestamp, timestamp } from '../../../../shared/kernel/time.ts';
import type { Key, Range } from '../../../../shared/table/key.ts';
import type { Action, TableReader, TableWriter } from '../../../../shared/table/table.ts';

/** Why no run starts: words that clients can rely on. */
export const refusalReasons = [
  'owner_disabled',
  'contact_not_visible',
  'filter_not_met',
  'loop_guard',
  'reentry',
  'rate_of_contact',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** A run that did not start. It names the contact by its id alone. */
export interface Refusal {
  readonly at: Timestamp;
  readonly reason: RefusalReason;
  readonly contactId: string;
  readonly nodeId: string;
  /** The workflows of the runs that led to it, the first one first. */
  readonly chain: readonly string[];
}

/** How many are listed. Source: the page of workflow runs, "Paths". */
export const maxListedRefusals = 100;

/** How long one is stored: older ones are only counted. */
const keptFor = 30 * day;

/** A run that did not start, by the id that it would have. */
export const refusalKey = (workflowId: string, runId: string): Key<Refusal> => ({
  partition: ['WORKFLOW', workflowId],
  sort: ['REFUSAL', runId],
});

const refusalRange = (workflowId: string): Range<Refusal> => ({
  partition: ['WORKFLOW', workflowId],
  under: ['REFUSAL'],
});

/** Refusals in one row would be counted one after the other. */
const counterShards = 16;

/** How often runs of some contacts were refused, in native attributes by reason. */
export const refusalCounterKey = (workflowId: string, shard: number | string): Key<never> => ({
  partition: ['WORKFLOW', workflowId],
  sort: ['REFUSED', String(shard)],
});

const refusalCounterRange = (workflowId: string): Range<never> => ({
  partition: ['WORKFLOW', workflowId],
  under: ['REFUSED'],
});

/**
 * The actions that record refusals of one contact's runs, by the ids that these would have, and count them: once, because each id is taken
 * then.
 */
export function refusalActions(
  table: TableWriter,
  workflowId: string,
  refusals: ReadonlyMap<string, Refusal>,
  now: Date,
): Action[] {
  const [first] = refusals.values();
  if (first === undefined) {
    return [];
  }
  const counts = Map.groupBy(refusals.values(), ({ reason }) => reason);
  return [
    ...[...refusals].map(([runId, refusal]) =>
      table.add(refusalKey(workflowId, runId), refusal, { expiresAt: after(now, keptFor) }),
    ),
    table.updateAction(refusalCounterKey(workflowId, crc32(first.contactId) % counterShards), {
      update: `ADD ${[...counts.keys()].map((reason) => `${reason} :${reason}`).join(', ')}`,
      values: Object.fromEntries([...counts].map(([reason, some]) => [reason, some.length])),
    }),
  ];
}

export function newRefusal(
  reason: RefusalReason,
  { contactId, nodeId, chain }: Pick<Refusal, 'contactId' | 'nodeId' | 'chain'>,
  now: Date,
): Refusal {
  return { at: timestamp(now), reason, contactId, nodeId, chain };
}

/** The refusals of a workflow: how many by reason, and the last ones, newest first. */
export async function readRefusals(
  table: TableReader,
  workflowId: string,
): Promise<{ refused: Partial<Record<RefusalReason, number>>; lastRefusals: readonly Refusal[] }> {
  const [counters, last] = await Promise.all([
    table.list(refusalCounterRange(workflowId)),
    table.list(refusalRange(workflowId), { limit: maxListedRefusals, descending: true }),
  ]);
  const sums = refusalReasons.map((reason) => {
    const counts = counters.map(({ attributes }) => Number(attributes?.[reason] ?? 0));
    return [reason, counts.reduce((sum, count) => sum + count, 0)] as const;
  });
  return {
    refused: Object.fromEntries(sums.filter(([, sum]) => sum > 0)),
    lastRefusals: last.map(({ data }) => data),
  };
}
