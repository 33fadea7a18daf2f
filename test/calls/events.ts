import { encodeTime } from 'ulid';
import { hoursBetween } from '../../shared/kernel/time.ts';
import { eventKey, type StoredEvent } from '../../shared/live/outbox.ts';
import { joined } from '../../shared/table/key.ts';
import type { Person, Product } from '../harness/product.ts';
import { placesOf } from './consistency.ts';

/** All events of an organization, whenever they happened, oldest first. */
export async function eventsIn(product: Product, { organizationId }: Person): Promise<StoredEvent[]> {
  const places = await placesOf(product, organizationId, 'EVENTS#');
  return [...places.values()]
    .map((data) => data as StoredEvent)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Those from a moment until now, oldest first: they are found without a look at the whole table. */
export async function eventsSince(
  product: Product,
  { organizationId }: Person,
  since: Date,
): Promise<StoredEvent[]> {
  const { table } = product.tableOf(organizationId);
  const hours = hoursBetween(since, new Date()).map((hour) => {
    const { partition, sort } = eventKey(hour, encodeTime(since.getTime()));
    return table.list<StoredEvent>({
      partition,
      between: { from: joined(sort), to: joined(['EVENT', 'Z']) },
    });
  });
  return (await Promise.all(hours)).flat().map(({ data }) => data);
}
