import { decodeTime, encodeTime } from 'ulid';
import notifyUsers from '../../functions/notifications/notify-users.ts';
import type { StoredEvent } from '../../shared/events/outbox.ts';
import { type Runtime, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { type StreamEvent, serveStream } from '../../shared/kernel/serve/serve-stream.ts';
import { after, hour, hoursBetween, utcHour } from '../../shared/kernel/time.ts';
import { eventReader } from '../harness/events.ts';
import type { Product } from '../harness/product.ts';
import { insertRecord } from '../workflows/starting.ts';

type Records = StreamEvent['Records'];

/** Notifies of an organization's events, as the table's stream would, whenever a test asks for it. */
export interface Notifier {
  /** Takes the events that it has not taken yet, of the hours around this moment; with `since` only of the time from then on. */
  take(at?: Date, since?: Date): Promise<void>;
  /** Takes those of the last time again, as a stream may. */
  takeAgain(): Promise<void>;
  /** Every event taken so far, oldest first. */
  events(): readonly StoredEvent[];
}

export function notifierIn(product: Product, organizationId: string): Notifier {
  const newEvents = eventReader(product, organizationId);
  const taken: StoredEvent[] = [];
  let left: StoredEvent[] = [];

  let last: { records: Records; at: Date } = { records: [], at: new Date() };

  async function deliver(Records: Records, at: Date): Promise<void> {
    const runtime: Runtime = { ...systemRuntime, clock: () => at, log: () => undefined };
    const served = [{ name: 'notify-users', operation: notifyUsers, providers: product.providers }];
    const { batchItemFailures } =
      Records.length === 0 ? { batchItemFailures: [] } : await serveStream(served, runtime)({ Records });
    if (batchItemFailures.length > 0) {
      throw new Error('Not all events were taken');
    }
  }

  return {
    async take(at = new Date(), since = new Date(0)) {
      const hours = new Set(hoursBetween(after(at, -hour), after(at, hour)));
      const isMeant = ({ id }: StoredEvent) =>
        hours.has(utcHour(new Date(decodeTime(id)))) && id >= encodeTime(since.getTime());
      const events = Map.groupBy([...left, ...(await newEvents())], isMeant);
      left = events.get(false) ?? [];
      const meant = events.get(true) ?? [];
      taken.push(...meant);
      last = { records: meant.map((event) => insertRecord(organizationId, event)), at };
      await deliver(last.records, at);
    },
    takeAgain: () => deliver(last.records, last.at),
    events: () => taken,
  };
}
