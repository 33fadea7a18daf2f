import type { StoredEvent } from '../../shared/live/outbox.ts';
import type { Person, Product } from '../harness/product.ts';
import { placesOf } from './consistency.ts';

/** All events of an organization, whenever they happened, oldest first. */
export async function eventsIn(product: Product, { organizationId }: Person): Promise<StoredEvent[]> {
  const places = await placesOf(product, organizationId, 'EVENTS#');
  return [...places.values()]
    .map((data) => data as StoredEvent)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}
