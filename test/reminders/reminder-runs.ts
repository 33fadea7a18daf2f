import fireDueReminders from '../../functions/reminders/fire-due-reminders.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/invocation.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import { serveSchedule } from '../../shared/kernel/serve-schedule.ts';
import { after, day, hourOf, minute, startOf } from '../../shared/kernel/time.ts';
import { eventKey, type StoredEvent } from '../../shared/live/outbox.ts';
import { dueParts, dueReminderRange, type Reminder } from '../../shared/reminders/reminder.ts';
import type { Range } from '../../shared/table/key.ts';
import type { Person, Product } from '../harness/product.ts';
import { everyPage, expectStatus } from '../harness/world.ts';

/** A time so many milliseconds after another, or before it. */
export const later = after;

const everyPart = Array.from({ length: dueParts }, (_, part) => part);

/** What runs by the clock in the product: a run happens when a test says so. */
export function reminderRuns(product: Product) {
  const { ports } = newInvocation(systemRuntime, product.providers);
  const { platform } = ports({ platform: 'write' }, undefined) as Ports<{ platform: 'write' }>;
  let time = after(startOf(hourOf(new Date())), 30 * minute);

  return {
    platform,
    /** Half past an hour, so many days after the time before: what lies before a run may not be looked at again. */
    nextTime(days = 5) {
      time = after(time, days * day);
      return time;
    },
    async remind(
      { token }: Person,
      contactId: string,
      remindAt: Date,
      note = 'Call back',
    ): Promise<Reminder> {
      const body = { contactId, note, remindAt: remindAt.toISOString() };
      return expectStatus(await product.call('create-reminder', { token, body }), 201).data;
    },
    /** Runs all parts of what fires reminders at this time; the sums of their figures. Rejects when one of them fails. */
    async run(at: Date) {
      const figures = { notified: 0, silent: 0, gone: 0, repeated: 0 };
      const runtime = {
        ...systemRuntime,
        clock: () => at,
        log: (line: Record<string, unknown>) => {
          for (const figure of Object.keys(figures) as (keyof typeof figures)[]) {
            figures[figure] += Number(line[figure] ?? 0);
          }
        },
      };
      const handle = serveSchedule('fire-due-reminders', fireDueReminders, product.providers, runtime);
      const runs = await Promise.allSettled(everyPart.map((part) => handle({ part })));
      const failed = runs.find((run) => run.status === 'rejected');
      if (failed !== undefined) {
        throw failed.reason;
      }
      return figures;
    },
    /** A person's own reminders, all of them. */
    remindersOf: ({ token }: Person) =>
      everyPage<Reminder>((query) => product.call('list-reminders', { token, query }), { limit: '100' }),
    /** The events of an organization in the hour of this time. */
    async eventsAt(organizationId: string, at: Date) {
      const range: Range<StoredEvent> = { partition: eventKey(hourOf(at), '-').partition };
      return (await product.tableOf(organizationId).table.list(range)).map(({ data }) => data);
    },
    /** How many reminders wait to fire in the hour of this time. */
    async waitingAt(at: Date) {
      const ranges = everyPart.map((part) => dueReminderRange(hourOf(at), String(part), '9999'));
      return (await Promise.all(ranges.map((range) => platform.list(range)))).flat().length;
    },
  };
}
