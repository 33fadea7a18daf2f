import * as z from 'zod/mini';
import { deliveryKey, type WebhookDelivery } from '../../../shared/events/webhook-delivery.ts';
import type { WebhookEndpoint } from '../../../shared/events/webhook-endpoint.ts';
import { notFound } from '../../../shared/kernel/failure.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../../../shared/kernel/schemas/fields.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import { endpointKey } from './endpoint.ts';

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;

const AttemptResponse = described(
  z.object({
    at: dateTime,
    status: z.optional(z.int()),
    milliseconds: z.int(),
    response: z.optional(anyString),
    error: z.optional(z.enum(['timeout', 'dns', 'refused_address', 'connection', 'tls'])),
  }),
  {
    at: 'When it ended.',
    status: 'The status of the response; absent without one.',
    milliseconds: 'How long it took.',
    response: 'The beginning of the body of the response, at most 1 KB.',
    error: 'Why there was no response; absent with one.',
  },
);

export const DeliveryResponse = described(
  z.object({
    _id: anyString,
    endpointId: anyString,
    event: anyString,
    eventId: anyString,
    at: dateTime,
    status: z.enum(deliveryStatuses),
    reason: z.optional(z.literal('endpoint_off')),
    attempts: z.array(AttemptResponse),
    nextAttemptAt: z.optional(dateTime),
  }),
  {
    _id: 'The id of the delivery.',
    endpointId: 'The endpoint that it is for.',
    event: 'The name of the event.',
    eventId: 'The id of the event: the `webhook-id` of each attempt.',
    at: 'When the event happened.',
    status: 'Whether it is pending, delivered or has failed for good.',
    reason: '`endpoint_off`: the endpoint was switched off while it was pending.',
    attempts: 'What came back each time, the newest last; the last 20.',
    nextAttemptAt: 'When it is attempted next, while it is pending.',
  },
  { id: 'WebhookDelivery', description: 'An event for a webhook endpoint, and what became of it.' },
);

type Shown = Pick<WebhookEndpoint, '_id' | 'isActive' | 'activation'>;

/** What was pending when its endpoint was switched off has failed: no record has to be changed for that. */
export function deliveryStatus(
  { state, activation }: WebhookDelivery,
  endpoint: Shown,
): (typeof deliveryStatuses)[number] {
  const isOver = !endpoint.isActive || activation !== endpoint.activation;
  return state === 'pending' && isOver ? 'failed' : state;
}

export function toDeliveryResponse(
  delivery: WebhookDelivery,
  endpoint: Shown,
): z.input<typeof DeliveryResponse> {
  const { endpointId, eventId, event, at, state, attempts, nextAttemptAt } = delivery;
  const status = deliveryStatus(delivery, endpoint);
  return {
    ...{ _id: `${eventId}${endpointId}`, endpointId, event, eventId, at, status },
    ...(status !== state && { reason: 'endpoint_off' }),
    attempts: [...attempts],
    ...(status === 'pending' && nextAttemptAt !== undefined && { nextAttemptAt }),
  };
}

/** Characters of the id of an event, with which that of a delivery begins. */
const eventIdLength = 26;

/** A delivery with its endpoint, in one round trip. @throws a 404 `Failure` if either is gone. */
export async function findDelivery(
  table: TableReader,
  id: string,
): Promise<{ delivery: WebhookDelivery; endpoint: WebhookEndpoint }> {
  const [eventId, endpointId] = [id.slice(0, eventIdLength), id.slice(eventIdLength)];
  if (endpointId === '') {
    throw notFound('Webhook delivery');
  }
  const [delivery, endpoint] = (await table.readMany<unknown>([
    deliveryKey(endpointId, eventId),
    endpointKey(endpointId),
  ])) as [Stored<WebhookDelivery> | undefined, Stored<WebhookEndpoint> | undefined];
  if (delivery === undefined || endpoint === undefined) {
    throw notFound('Webhook delivery');
  }
  return { delivery: delivery.data, endpoint: endpoint.data };
}
