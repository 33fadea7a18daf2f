import { after, day, hour, hourOf, hoursBetween, minute, startOf } from '../../../shared/kernel/time.ts';
import { firingProgressKey } from '../../../shared/reminders/reminder.ts';
import type { TableWriter } from '../../../shared/table/table.ts';

/** How long after an hour's end a reminder may still be written into it: invocations take less, even if clocks differ. */
const leeway = minute;

/** Past hours that one run reads at most: a week. */
const mostHours = (7 * day) / hour;

/** The hours that a run reads. Reminders due now do not wait for those that earlier runs left. */
export interface DueHours {
  /** The current hour, and the one before while reminders may still be written into it. */
  readonly present: readonly string[];
  /** Past hours that may have reminders left, the earliest first. */
  readonly over: readonly string[];
}

/** The hours that a run reads, given the progress of earlier runs. The first run goes back a day. */
export async function dueHours(
  platform: TableWriter<'platform'>,
  part: string,
  now: Date,
): Promise<DueHours> {
  const progress = await platform.read(firingProgressKey(part));
  const since = progress === undefined ? after(now, -day) : startOf(progress.data.hour);
  const settled = after(now, -leeway);
  return {
    present: hoursBetween(settled, now),
    over: hoursBetween(since, after(settled, -hour)).slice(0, mostHours),
  };
}

/**
 * Lets later runs begin with the first hour that has something left. If a slow run writes this after a later one, the next run
 * only reads some hours again.
 */
export async function recordProgress(
  platform: TableWriter<'platform'>,
  part: string,
  over: readonly string[],
  isLeft: (hour: string) => boolean,
): Promise<void> {
  const last = over.at(-1);
  if (last !== undefined) {
    const next = over.find(isLeft) ?? hourOf(after(startOf(last), hour));
    await platform.commit([platform.put(firingProgressKey(part), { hour: next })]);
  }
}
