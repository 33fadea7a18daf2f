import { encodeTime } from 'ulid';
import { hoursBetween } from '../../shared/kernel/time.ts';
import { eventKey, type StoredEvent } from '../../shared/live/outbox.ts';
import { joined, prefixOf } from '../../shared/table/key.ts';
import { organizationSpace } from '../../shared/table/spaces.ts';
import { rowsOf } from '../seed/table.ts';
import type { Product } from './product.ts';

/** All events of an organization, whenever they happened, in the order in which a replay reads them: by hour, then by id. */
export async function eventsOf(product: Product, organizationId: string): Promise<StoredEvent[]> {
  // Not the hours around now: tests say when a call happens, and what happens at 08:59 is told of at 09:00.
  const rows = await rowsOf(
    process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    product.tableName,
    prefixOf([...organizationSpace(organizationId), 'EVENTS']),
  );
  return rows.map(({ data }) => data as StoredEvent);
}

/** Those of the time from a moment until another one, oldest first: for a table that is too large to be read each time. */
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
