import type { Deadline } from '../../../shared/kernel/deadline.ts';
import { forEachConcurrently } from '../../../shared/kernel/for-each-concurrently.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { second, timestamp } from '../../../shared/kernel/time.ts';
import type { DueReminder } from '../../../shared/reminders/reminder.ts';
import { dueReminderRange } from '../../../shared/reminders/reminder.ts';
import type { Stored, TableWriter } from '../../../shared/table/table.ts';
import { type Firing, fire } from './fire.ts';

/**
 * Users whose reminders fire at the same time. Those of one user fire one after the other, because all change one unread counter.
 */
const width = 25;

/**
 * Limits of one run: the next comes within a minute. It reads many more than it fires, and fires few of one user, so that nobody
 * waits for somebody else's thousands.
 */
const most = { read: 5_000, ofOneCreator: 100 };

/** Milliseconds before the deadline from which a run begins nothing new: those that are firing, and its progress, take less. */
const reserve = second;

export interface FiringTables {
  readonly platform: TableWriter<'platform'>;
  organizations(organizationId: string): TableWriter;
}

/** The reminders that one run fires. */
export interface Batch {
  /** Fires the due reminders of an hour; false if some are left. */
  fire(hour: string): Promise<boolean>;
  readonly figures: Readonly<Record<Firing, number>>;
  /** The errors of those that could not fire. */
  readonly failures: readonly unknown[];
}

export function newBatch(
  { platform, organizations }: FiringTables,
  part: string,
  deadline: Deadline,
  clock: ClockAndIds,
): Batch {
  const figures = { notified: 0, silent: 0, gone: 0, repeated: 0 };
  const failures: unknown[] = [];
  let leftToRead = most.read;
  const countByCreator = new Map<string, number>();

  /** The reminders to fire now, of those that are due, in order. */
  function chosenOf(due: readonly Stored<DueReminder, 'platform'>[]): Stored<DueReminder, 'platform'>[] {
    return due.filter(({ data: { createdBy } }) => {
      const count = (countByCreator.get(createdBy) ?? 0) + 1;
      countByCreator.set(createdBy, count);
      return count <= most.ofOneCreator;
    });
  }

  const isTimeUp = () => deadline.left() < reserve;

  async function fireOne(due: Stored<DueReminder, 'platform'>): Promise<void> {
    if (isTimeUp()) {
      return;
    }
    const table = organizations(due.data.organizationId);
    const became = await fire(due, { table, platform }, clock);
    figures[became] += 1;
  }

  return {
    figures,
    failures,
    async fire(hour) {
      if (leftToRead === 0 || isTimeUp()) {
        return false;
      }
      const range = dueReminderRange(hour, part, timestamp(clock.now));
      const due = await platform.list(range, { limit: leftToRead });
      const chosen = chosenOf(due);
      const isAll = due.length < leftToRead && chosen.length === due.length;
      leftToRead -= due.length;

      const failedBefore = failures.length;
      const queues = Map.groupBy(chosen, ({ data }) => data.createdBy).values();
      await forEachConcurrently(queues, width, async (queue) => {
        failures.push(...(await forEachConcurrently(queue, 1, fireOne)));
      });
      return isAll && failures.length === failedBefore && !isTimeUp();
    },
  };
}
