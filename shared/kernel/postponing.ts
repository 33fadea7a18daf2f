import { forEachConcurrently } from './for-each-concurrently.ts';
import { minute } from './time.ts';

/** After each number of tries. The last one repeats; it is the longest that a queue delays a message. */
const delays = [0, minute, 5 * minute, 15 * minute] as const;

/** Milliseconds until a queue's next try; the first retry is immediate. */
export function delayAfter(tries: number): number {
  return delays[Math.min(tries, delays.length - 1)] ?? minute;
}

/** Handed over at the same time. */
const width = 10;

/** Hands every change of a batch over to a queue. @throws when the queue has not taken all of them: it may get some twice. */
export async function handOver<Change>(
  changes: readonly Change[],
  toQueue: (change: Change) => Promise<void>,
): Promise<void> {
  const [lost] = await forEachConcurrently(changes, width, toQueue);
  if (lost !== undefined) {
    throw new Error('Not everything could be handed over', { cause: lost });
  }
}
