import { encodeTime } from 'ulid';
import { eventKey, type StoredEvent } from '../../shared/events/outbox.ts';
import { hoursBetween } from '../../shared/kernel/time.ts';
import { joined, keyPrefix } from '../../shared/table/key.ts';
import { readAll } from '../../shared/table/read-all.ts';
import { organizationSpace } from '../../shared/table/spaces.ts';
import type { Product } from './product.ts';
import { watchedKeys, writtenPartitions } from './written-keys.ts';

const eventsIn = (organizationId: string) => keyPrefix([...organizationSpace(organizationId), 'EVENTS']);

/** All events of an organization, whenever they happened, in the order in which a replay reads them: by hour, then by id. */
export async function readEvents(product: Product, organizationId: string): Promise<StoredEvent[]> {
  // Not only the hours around now: tests choose the time of a call, and an event of 08:59 may be read at 09:00.
  const prefix = eventsIn(organizationId);
  const hours = [...writtenPartitions(product.tableName)].filter((one) => one.startsWith(prefix)).sort();
  const { table } = product.tableOf(organizationId);
  const lists = hours.map((hour) => {
    const { partition } = eventKey(hour.slice(prefix.length), '');
    return table.list<StoredEvent>({ partition, under: ['EVENT'] });
  });
  return (await Promise.all(lists)).flat().map(({ data }) => data);
}

/** The events of an organization that an act leaves behind, and what it returned. */
export async function eventsDuring<Result>(
  product: Product,
  organizationId: string,
  act: () => Promise<Result>,
): Promise<{ events: StoredEvent[]; result: Result }> {
  const before = new Set((await readEvents(product, organizationId)).map(({ id }) => id));
  const result = await act();
  return { result, events: (await readEvents(product, organizationId)).filter(({ id }) => !before.has(id)) };
}

/** Reads the events of an organization that were stored since the last time, in the same order; at first all of them. */
export function eventReader(product: Product, organizationId: string): () => Promise<StoredEvent[]> {
  const prefix = eventsIn(organizationId);
  const written = watchedKeys(product.tableName);
  const { table } = product.tableOf(organizationId);
  const read = new Set<string>();
  let isFirst = true;

  async function writtenEvents(): Promise<StoredEvent[]> {
    const places = [...written].filter(([keyText]) => keyText.startsWith(prefix)).sort();
    written.clear();
    const keys = places.map(([, { pk, sk }]) =>
      eventKey(pk.slice(prefix.length), sk.slice(sk.indexOf('#') + 1)),
    );
    return (await readAll(table, keys)).flatMap((record) => record?.data ?? []);
  }

  return async () => {
    const found = isFirst ? await readEvents(product, organizationId) : await writtenEvents();
    isFirst = false;
    const events = found.filter(({ id }) => !read.has(id));
    for (const { id } of events) {
      read.add(id);
    }
    return events;
  };
}

/** The events between two moments, oldest first: for a table that is too large to be read each time. */
export async function eventsBetween(
  product: Product,
  organizationId: string,
  since: Date,
  until: Date,
): Promise<StoredEvent[]> {
  const { table } = product.tableOf(organizationId);
  const hours = hoursBetween(since, until).map((hour) => {
    const { partition, sort } = eventKey(hour, encodeTime(since.getTime()));
    return table.list<StoredEvent>({
      partition,
      between: { from: joined(sort), to: joined(['EVENT', 'Z']) },
    });
  });
  return (await Promise.all(hours)).flat().map(({ data }) => data);
}
