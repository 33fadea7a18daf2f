import type { Clock } from '../../functions/clock/model/due-worker.ts';
import { runDue } from '../../functions/clock/model/run-due.ts';
import { type DueEntry, duePart, scheduleAction } from '../../shared/events/due-entry.ts';
import { noDeadline } from '../../shared/kernel/deadline.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import type { PlatformKey } from '../../shared/table/key.ts';
import { clockClient } from '../harness/clock.ts';
import type { Product } from '../harness/product.ts';
import { recordingQueue } from '../harness/queues.ts';

/** The part that these tests run. */
const part = '0';

/** What an operation of these tests leaves behind: adding it twice fails. */
const effectKey = (user: string, id: string): PlatformKey<{ id: string }> => ({
  partition: ['EFFECTS', user],
  sort: [id],
});

type RunDue = Clock['dueOperations']['run'];

/** Entries in one part of the clock, done by operations that a test makes up. */
export function dueEntriesClient(product: Product) {
  const { platform } = clockClient(product);
  const { newId } = product.tableOf('any').moment;
  const queue = recordingQueue();

  /** Has the effect of an entry, once. */
  const act: RunDue = async ({ group, id }, end) => {
    await platform.commit([platform.add(effectKey(group, id), { id }), end]);
    return 'done';
  };

  return {
    platform,
    queue,
    act,
    /** A user of this part. */
    newUser(): string {
      for (;;) {
        const group = newId();
        if (duePart(group) === part) {
          return group;
        }
      }
    },
    async schedule(entries: readonly DueEntry[]): Promise<void> {
      for (let start = 0; start < entries.length; start += 100) {
        await platform.commit(
          entries.slice(start, start + 100).map((entry) => scheduleAction(platform, entry)),
        );
      }
    },
    entry: (group: string, at: Date, more: Partial<DueEntry> = {}): DueEntry => ({
      kind: 'reminder',
      at: timestamp(at),
      organizationId: 'acme',
      group,
      id: newId(),
      ...more,
    }),
    /** One run at this time. */
    run: (
      now: Date,
      { run = act, deadline = noDeadline }: { run?: RunDue; deadline?: Clock['deadline'] } = {},
    ) => runDue({ platform, dueOperations: { run }, queue, deadline, now }, part),
    /** The entries of a user that were done, sorted. */
    async doneFor(group: string): Promise<string[]> {
      const { partition } = effectKey(group, '-');
      return (await platform.list<{ id: string }>({ partition })).map(({ data }) => data.id);
    },
    /** A deadline that is over after so many entries were begun, and the operation that counts them. */
    timeFor(count: number) {
      let left = count;
      const run: RunDue = (entry, end) => {
        left -= 1;
        return act(entry, end);
      };
      return { run, deadline: { left: () => (left > 0 ? 5_000 : 999) } };
    },
  };
}
