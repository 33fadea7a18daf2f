import { AlreadyDone, type DueEntry } from '../../../shared/events/due-entry.ts';
import { after, hour, second, timestamp } from '../../../shared/kernel/time.ts';
import type { Stored, TableWriter } from '../../../shared/table/table.ts';

type Due = Stored<DueEntry, 'platform'>;

/** Milliseconds before an entry that failed is tried again, for the first time and at most; doubled each time. */
const delays = { first: 30 * second, longest: hour };

/**
 * Makes runs skip an entry that failed, for a while. The entry keeps its key, by which its record cancels and moves it.
 * @returns false if it is gone: then it failed because another run was faster.
 */
export async function postpone(platform: TableWriter<'platform'>, due: Due, now: Date): Promise<boolean> {
  const tries = Number(due.attributes?.tries ?? 0);
  const delay = Math.min(delays.longest, delays.first * 2 ** Math.min(tries, 20));
  const change = {
    update: 'SET retryAt = :retryAt ADD tries :one',
    when: 'attribute_exists(pk)',
    values: { retryAt: timestamp(after(now, delay)), one: 1 },
    otherwise: () => new AlreadyDone(),
  };
  return platform.update(due.key, change).then(
    () => true,
    // While the table cannot be written, the next run tries again at once.
    (error) => !(error instanceof AlreadyDone),
  );
}

export const isPostponed = ({ attributes }: Due, now: Date): boolean =>
  String(attributes?.retryAt ?? '') > timestamp(now);
