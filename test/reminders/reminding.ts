import fireDueReminders from '../../functions/reminders/fire-due-reminders.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/invocation.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import { serveSchedule } from '../../shared/kernel/serve-schedule.ts';
import { after, day, hourOf, minute, startOf } from '../../shared/kernel/time.ts';
import type { StoredEvent } from '../../shared/live/outbox.ts';
import { eventKey } from '../../shared/live/outbox.ts';
import type { Reminder } from '../../shared/reminders/reminder.ts';
import { dueReminderRange } from '../../shared/reminders/reminder.ts';
import type { Range } from '../../shared/table/key.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus, startWorld, type World } from '../harness/world.ts';

/** The product with what runs by the clock in it: a run happens when a test says so. */
export interface Reminding {
  readonly world: World;
  readonly product: Product;
  readonly platform: TableWriter<'platform'>;
  /** Half past an hour, so many days after the time before, 5 unless stated: what lies before a run may not be looked at again. */
  nextTime(days?: number): Date;
  remind(person: Person, contactId: string, remindAt: Date, note?: string): Promise<Reminder>;
  /** Runs what fires reminders at this time; what its log line says. Rejects when the run fails. */
  run(at: Date): Promise<Record<string, unknown>>;
  /** A person's own reminders, all of them. */
  remindersOf(person: Person): Promise<Reminder[]>;
  /** The events of an organization in the hour of this time. */
  eventsAt(organizationId: string, at: Date): Promise<StoredEvent[]>;
  /** How many reminders wait to fire in the hour of this time. */
  waitingAt(at: Date): Promise<number>;
}

/** A time so many milliseconds after another, or before it. */
export const later = after;

export async function startReminding(): Promise<Reminding> {
  const world = await startWorld();
  const { product } = world;
  const { ports } = newInvocation(systemRuntime, product.providers);
  const { platform } = ports({ platform: 'write' }, undefined) as Ports<{ platform: 'write' }>;
  let time = after(startOf(hourOf(new Date())), 30 * minute);

  return {
    world,
    product,
    platform,
    nextTime(days = 5) {
      time = after(time, days * day);
      return time;
    },
    async remind({ token }, contactId, remindAt, note = 'Call back') {
      const body = { contactId, note, remindAt: remindAt.toISOString() };
      return expectStatus(await product.call('create-reminder', { token, body }), 201).data;
    },
    async run(at) {
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
    async remindersOf({ token }) {
      const all: Reminder[] = [];
      let cursor: string | null = null;
      do {
        const query: Record<string, string> = { limit: '100', ...(cursor !== null && { cursor }) };
        const page = expectStatus(await product.call('list-reminders', { token, query }), 200);
        all.push(...page.data);
        cursor = page.nextCursor;
      } while (cursor !== null);
      return all;
    },
    async eventsAt(organizationId, at) {
      const range: Range<StoredEvent> = { partition: eventKey(hourOf(at), '-').partition };
      return (await product.tableOf(organizationId).table.list(range)).map(({ data }) => data);
    },
    async waitingAt(at) {
      return (await platform.list(dueReminderRange(hourOf(at), '9999'))).length;
    },
  };
}
