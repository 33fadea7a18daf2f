import { encodeTime } from 'ulid';
import notifyUsers from '../../functions/notifications/notify-users.ts';
import { type Runtime, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { type StreamEvent, serveStream } from '../../shared/kernel/serve/serve-stream.ts';
import { after, hour, hoursBetween } from '../../shared/kernel/time.ts';
import { eventKey, type StoredEvent } from '../../shared/live/outbox.ts';
import { joined, type Range } from '../../shared/table/key.ts';
import { organizationSpace } from '../../shared/table/spaces.ts';
import type { Product } from '../harness/product.ts';

type Records = StreamEvent['Records'];

/** Notifies of an organization's events, as the table's stream would, whenever a test asks for it. */
export interface Notifier {
  /** Takes the events that it has not taken yet, of the hours around this moment; with `since` only of the time from then on. */
  take(at?: Date, since?: Date): Promise<void>;
  /** Takes those of the last time again, as a stream may. */
  takeAgain(): Promise<void>;
  /** Every event taken so far, oldest first. */
  events(): StoredEvent[];
}

export function notifierOf(product: Product, organizationId: string): Notifier {
  const { table } = product.tableOf(organizationId);
  const taken = new Map<string, { record: Records[number]; event: StoredEvent }>();

  let last: { records: Records; at: Date } = { records: [], at: new Date() };

  async function read(name: string, since: Date) {
    const { partition, sort } = eventKey(name, encodeTime(since.getTime()));
    const pk = joined([...organizationSpace(organizationId), ...partition]);
    const between = { from: joined(sort), to: joined(['EVENT', 'Z']) };
    const range: Range<StoredEvent> = { partition, between };
    const events = (await table.list(range)).map(({ key, data }) => ({ sk: joined(key.sort), data }));
    const found = events.filter(({ sk }) => !taken.has(sk));
    for (const { sk, data } of found) {
      const image = { data: { S: JSON.stringify(data) } };
      const dynamodb = { Keys: { pk: { S: pk }, sk: { S: sk } }, NewImage: image, SequenceNumber: sk };
      taken.set(sk, { record: { eventName: 'INSERT', dynamodb }, event: data });
    }
    return found.map(({ sk }) => taken.get(sk)?.record).filter((record) => record !== undefined);
  }

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
      const hours = hoursBetween(after(at, -hour), after(at, hour));
      const records = (await Promise.all(hours.map((name) => read(name, since)))).flat();
      last = { records, at };
      await deliver(records, at);
    },
    takeAgain: () => deliver(last.records, last.at),
    events: () => [...taken.values()].map(({ event }) => event),
  };
}
