import { after, minute, second, timestamp } from '../../../shared/kernel/time.ts';
import type { PlatformKey } from '../../../shared/table/key.ts';
import { upTo } from '../../../shared/table/key.ts';
import { type Clock, newDueWorker } from './due-worker.ts';

/**
 * Milliseconds for which an entry is among the first of a run: the time from one run to the next, and another one in case
 * that is left out.
 */
const recentFor = 2 * minute;

/** Milliseconds ahead for which a run hands over what is due: until the next one, and a little longer in case that is late. */
const ahead = minute + 15 * second;

/** Where the next run continues with what earlier ones left; without it, at the beginning. */
export const dueCursorKey = (part: string): PlatformKey<{ from: string }> => ({
  partition: ['DUE'],
  sort: ['CURSOR', part],
});

/**
 * Does what is due in a part: first what became due within the last two minutes, so that it never waits for a backlog, and hands over what
 * is due before the next run, so that it happens at its second; then the backlog, earliest first. Entries that fail are postponed, so that
 * they hold up nothing. Each group first gets a few entries done; once every group had its turn, those with more get further turns.
 * @returns how often each outcome was reached.
 * @throws when something failed; all else that there was time for is done.
 */
export async function runDue(clock: Clock, part: string): Promise<Readonly<Record<string, number>>> {
  const { platform, now } = clock;
  const worker = newDueWorker(clock, part);
  const recent = timestamp(after(now, -recentFor));
  const end = upTo([timestamp(after(now, ahead))]);
  const [cursor, { passedOver }] = await Promise.all([
    platform.read(dueCursorKey(part)),
    worker.do({ from: recent, to: end }),
  ]);
  const from = cursor?.data.from;
  const earlier = await worker.do({ from, to: recent });
  const { left } = earlier;
  if (left === undefined && from !== undefined) {
    await platform.deleteMany([dueCursorKey(part)]);
  } else if (left !== undefined && left !== from) {
    // If a slow run writes this after a later one, the next run only reads some entries again, or later.
    await platform.commit([platform.put(dueCursorKey(part), { from: left })]);
  }
  await worker.doPassedOver([
    ...(passedOver === undefined ? [] : [{ from: passedOver, to: end }]),
    ...(earlier.passedOver === undefined ? [] : [{ from: earlier.passedOver, to: recent }]),
  ]);
  const { figures, failures } = worker;
  if (failures.length > 0) {
    throw new Error(`${failures.length} of what was due could not be done`, { cause: failures[0] });
  }
  return figures;
}
