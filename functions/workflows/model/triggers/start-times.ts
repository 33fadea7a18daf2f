import type { Key } from '../../../../shared/table/key.ts';
import type { TableWriter } from '../../../../shared/table/table.ts';
import { startInterval } from '../definition/plan.ts';
import type { TriggerRow } from '../definition/triggers.ts';

/** How many runs of a workflow may start at the same time. Source: the page of workflow runs, "Storage and operations". */
export const startsAtOnce = 50;

/** Up to when starts of a workflow are reserved, in milliseconds since the epoch, as the native attribute `reservedUntil`. */
export const reservedStartsKey = (workflowId: string): Key<never> => ({
  partition: ['WORKFLOW', workflowId],
  sort: ['PACE'],
});

/**
 * When the next runs of a workflow start: the first ones of a burst now, the others one after the other at its rate, after those of
 * earlier bursts. Places are kept for good, also if a run then does not start after all. Source: the generic cell rate algorithm.
 */
export async function reserveStartTimes(
  table: TableWriter,
  { workflowId, rate }: Pick<TriggerRow, 'workflowId' | 'rate'>,
  count: number,
  now: Date,
): Promise<Date[]> {
  const key = reservedStartsKey(workflowId);
  return table.optimistically(async () => {
    const was = (await table.read(key))?.attributes?.reservedUntil as number | undefined;
    const { times, reservedUntil } = timesAtRate(was, rate, count, now.getTime());
    await table.update(key, {
      update: 'SET reservedUntil = :reservedUntil',
      when: was === undefined ? 'attribute_not_exists(reservedUntil)' : 'reservedUntil = :was',
      values: { reservedUntil, ...(was !== undefined && { was }) },
    });
    return times.map((time) => new Date(time));
  });
}

/** The times of starts, and up to when starts are reserved after them. */
function timesAtRate(
  was: number | undefined,
  { value, milliseconds }: TriggerRow['rate'],
  count: number,
  now: number,
): { readonly times: readonly number[]; readonly reservedUntil: number } {
  // A stored rate beyond the limits of `startInterval` counts as the nearest possible one.
  const interval = Math.min(Math.max(milliseconds / value, startInterval.shortest), startInterval.longest);
  const tolerance = (startsAtOnce - 1) * interval;
  let reservedUntil = Math.max(was ?? 0, now);
  const times = Array.from({ length: count }, () => {
    const time = Math.max(now, Math.ceil(reservedUntil - tolerance));
    reservedUntil += interval;
    return time;
  });
  return { times, reservedUntil };
}
