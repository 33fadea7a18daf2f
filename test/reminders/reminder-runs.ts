import fireDueReminders from '../../functions/reminders/fire-due-reminders.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/invocation.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import { serveSchedule } from '../../shared/kernel/serve-schedule.ts';
import { after, day, hourOf, minute, startOf } from '../../shared/kernel/time.ts';
import { eventKey, type StoredEvent } from '../../shared/live/outbox.ts';
import { dueReminderRange, type Reminder } from '../../shared/reminders/reminder.ts';
import type { Range } from '../../shared/table/key.ts';
import type { Person, Product } from '../harness/product.ts';
import { everyPage, expectStatus } from '../harness/world.ts';

/** A time so many milliseconds after another, or before it. */
export const later = after;

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
    /** Runs what fires reminders at this time; what its log line says. Rejects when the run fails. */
    async run(at: Date): Promise<Record<string, unknown>> {
      const lines: Record<string, unknown>[] = [];
      const runtime = {
        ...systemRuntime,
        clock: () => at,
        log: (line: Record<string, unknown>) => void lines.push(line),
      };
      const handle = serveSchedule('fire-due-reminders', fireDueReminders, product.providers, runtime);
      await handle();
      return lines[0] ?? {};
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
      return (await platform.list(dueReminderRange(hourOf(at), '9999'))).length;
    },
  };
}
