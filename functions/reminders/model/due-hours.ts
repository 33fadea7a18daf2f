import { firingProgressKey } from '../../../shared/reminders/reminder.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { after, day, hour, hourOf, hoursBetween, minute, startOf } from '../../../shared/time.ts';

/** So long after its end a reminder may still be written into it: an invocation takes less, even where clocks differ. */
const leeway = minute;

/** Hours that are over of which one run looks at most: a week. */
const mostHours = (7 * day) / hour;

/** The hours that a run looks at. What is due now does not wait for what was left undone before. */
export interface DueHours {
  /** The present one, and the one before it as long as reminders may still be written there. */
  readonly present: readonly string[];
  /** Those that are over and in which something may be left, the earliest first. */
  readonly over: readonly string[];
}

/** What a run at this time looks at, by what the runs before were done with. The first one ever goes back a day. */
export async function dueHours(platform: TableWriter<'platform'>, now: Date): Promise<DueHours> {
  const progress = await platform.read(firingProgressKey());
  const since = progress === undefined ? after(now, -day) : startOf(progress.data.hour);
  const settled = after(now, -leeway);
  return {
    present: hoursBetween(settled, now),
    over: hoursBetween(since, after(settled, -hour)).slice(0, mostHours),
  };
}

/**
 * Lets later runs begin after the hours that are done, all before the first of those in which something is left. A slow run
 * that says so after a later one makes the next look at some hours again, and no more.
 */
export async function recordProgress(
  platform: TableWriter<'platform'>,
  over: readonly string[],
  isLeft: (hour: string) => boolean,
): Promise<void> {
  const last = over.at(-1);
  if (last !== undefined) {
    const next = over.find(isLeft) ?? hourOf(after(startOf(last), hour));
    await platform.commit([platform.put(firingProgressKey(), { hour: next })]);
  }
}
