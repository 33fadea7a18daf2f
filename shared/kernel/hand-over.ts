import { forEachConcurrently } from './for-each-concurrently.ts';

/** Changes that go to the queue at the same time. */
const width = 10;

/** Sends every change of a batch to a queue. @throws when the queue has not taken all of them: it may get some twice. */
export async function handOver<Change>(
  changes: readonly Change[],
  toQueue: (change: Change) => Promise<void>,
): Promise<void> {
  const [lost] = await forEachConcurrently(changes, width, toQueue);
  if (lost !== undefined) {
    throw new Error('The queue did not take all changes', { cause: lost });
  }
}
