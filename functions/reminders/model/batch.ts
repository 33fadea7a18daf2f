import { forEachConcurrently } from '../../../shared/kernel/for-each-concurrently.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import type { DueReminder } from '../../../shared/reminders/reminder.ts';
import { dueReminderRange } from '../../../shared/reminders/reminder.ts';
import type { Stored, TableWriter } from '../../../shared/table/table.ts';
import { timestamp } from '../../../shared/time.ts';
import { type Firing, fire } from './fire.ts';

/** Makers whose reminders are fired at the same time. Those of one go one after the other: all count in one unread counter. */
const width = 25;

/**
 * What a round does at most, in a few seconds: the next is a minute away. Many more are read than fired, and few of one
 * maker are fired, so that nobody waits for somebody else's thousands.
 */
const most = { read: 5_000, fired: 500, ofOneMaker: 100 };

export interface FiringTables {
  readonly platform: TableWriter<'platform'>;
  organizations(organizationId: string): TableWriter;
}

/** What one run fires. */
export interface Batch {
  /** Fires what is due of the reminders of an hour; false when some of it is left. */
  fire(hour: string): Promise<boolean>;
  readonly figures: Readonly<Record<Firing, number>>;
  /** Why some could not be fired. */
  readonly failures: readonly unknown[];
}

export function newBatch({ platform, organizations }: FiringTables, clock: ClockAndIds): Batch {
  const figures = { notified: 0, silent: 0, gone: 0, repeated: 0 };
  const failures: unknown[] = [];
  const left = { ...most };
  const ofMakers = new Map<string, number>();

  /** Those that are fired now, of reminders in the order in which they are due. */
  function chosenOf(due: readonly Stored<DueReminder, 'platform'>[]): Stored<DueReminder, 'platform'>[] {
    const chosen = due.filter(({ data: { createdBy } }) => {
      const count = (ofMakers.get(createdBy) ?? 0) + 1;
      ofMakers.set(createdBy, count);
      return count <= most.ofOneMaker;
    });
    return chosen.slice(0, left.fired);
  }

  async function fireOne(due: Stored<DueReminder, 'platform'>): Promise<void> {
    const table = organizations(due.data.organizationId);
    const became = await fire(due, { table, platform }, clock);
    figures[became] += 1;
  }

  return {
    figures,
    failures,
    async fire(hour) {
      if (left.read === 0 || left.fired === 0) {
        return false;
      }
      const range = dueReminderRange(hour, timestamp(clock.now));
      const due = await platform.list(range, { limit: left.read });
      const chosen = chosenOf(due);
      const isAll = due.length < left.read && chosen.length === due.length;
      left.read -= due.length;
      left.fired -= chosen.length;

      const failedBefore = failures.length;
      const queues = Map.groupBy(chosen, ({ data }) => data.createdBy).values();
      await forEachConcurrently(queues, width, async (queue) => {
        failures.push(...(await forEachConcurrently(queue, 1, fireOne)));
      });
      return isAll && failures.length === failedBefore;
    },
  };
}
