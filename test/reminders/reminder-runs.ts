import { eventKey, type StoredEvent } from '../../shared/events/outbox.ts';
import { after, day, minute, utcHour } from '../../shared/kernel/time.ts';
import type { Reminder } from '../../shared/notes/reminder.ts';
import type { Range } from '../../shared/table/key.ts';
import { clockClient } from '../harness/clock.ts';
import type { Person, Product } from '../harness/product.ts';
import { startOfHour } from '../harness/start-of-hour.ts';
import { everyPage, expectStatus } from '../harness/tenants.ts';

/** A time so many milliseconds after another, or before it. */
export const later = after;

/** The schedules of the product: a run happens when a test says so. */
export function reminderRuns(product: Product) {
  const clock = clockClient(product);
  let time = after(startOfHour(new Date()), 30 * minute);

  return {
    platform: clock.platform,
    waitingUntil: clock.waitingUntil,
    /** Half past an hour, so many days after the time before: so that a run does what is due then and nothing else. */
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
    /** Runs all parts of the clock at this time; the sums of their figures. Rejects when one of them fails. */
    run: async (at: Date) => ({ notified: 0, silent: 0, gone: 0, repeated: 0, ...(await clock.run(at)) }),
    /** A person's own reminders, all of them. */
    remindersOf: ({ token }: Person) =>
      everyPage<Reminder>((query) => product.call('list-reminders', { token, query }), { limit: '100' }),
    /** The events of an organization in the hour of this time. */
    async eventsAt(organizationId: string, at: Date) {
      const range: Range<StoredEvent> = { partition: eventKey(utcHour(at), '-').partition };
      return (await product.tableOf(organizationId).table.list(range)).map(({ data }) => data);
    },
    /** How many reminders wait to fire in the hour of this time. */
    async waitingAt(at: Date) {
      const hour = utcHour(at);
      return (await clock.waitingUntil(new Date('9999'))).filter((due) => due.at.startsWith(hour)).length;
    },
  };
}
