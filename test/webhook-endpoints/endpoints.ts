import { eventAction } from '../../shared/events/outbox.ts';
import { deliveryKey, type WebhookDelivery } from '../../shared/events/webhook-delivery.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { workflowToggled } from '../live/live-product.ts';

/** Nothing listens there. */
export const closedUrl = 'http://localhost:9999/hooks';

/** Creates an endpoint for all events, unless stated. */
export async function newEndpoint(product: Product, { token }: Person, fields: object = {}) {
  const body = { url: closedUrl, events: ['*'], ...fields };
  const { data, secret } = expectStatus(await product.call('create-webhook-endpoint', { token, body }), 201);
  return { id: data._id as string, secret: secret as string, data };
}

const endpoints = new WeakMap<Person, ReturnType<typeof newEndpoint>>();

/** One endpoint of an administrator for many requests: an organization may have only 50. The first call says what it is like. */
export function endpointFor(
  product: Product,
  admin: Person,
  fields: object = {},
): ReturnType<typeof newEndpoint> {
  const endpoint = endpoints.get(admin) ?? newEndpoint(product, admin, fields);
  endpoints.set(admin, endpoint);
  return endpoint;
}

/** A delivery of a new event to that endpoint; its id. */
export async function deliveryFor(product: Product, admin: Person): Promise<string> {
  const { id: endpointId } = await endpointFor(product, admin);
  const { table, moment } = product.tableOf(admin.organizationId);
  const [eventId, at] = [moment.newId(), moment.now.toISOString()];
  const delivery: WebhookDelivery = {
    ...{ endpointId, eventId, event: 'workflow_updated', at, activation: 1 },
    ...{ state: 'delivered', attempts: [], failures: 0 },
  };
  await table.commit([
    table.add(deliveryKey(endpointId, eventId), delivery),
    eventAction(table, workflowToggled, eventId, moment.now),
  ]);
  return `${eventId}${endpointId}`;
}
