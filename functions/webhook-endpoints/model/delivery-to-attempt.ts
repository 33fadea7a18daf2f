import type { StoredEvent } from '../../../shared/events/outbox.ts';
import type { WebhookDelivery, WebhookJob } from '../../../shared/events/webhook-delivery.ts';
import type { WebhookEndpoint } from '../../../shared/events/webhook-endpoint.ts';
import { after, second, timestamp } from '../../../shared/kernel/time.ts';

/** Clocks of functions differ by less. */
const clockDifference = 2 * second;

/**
 * The delivery that a job is to attempt; undefined if there is nothing to do: it is delivered, or belongs to an earlier time of the
 * endpoint. However often a message arrives, it is attempted once each time that it is due. A replay begins it anew, once.
 */
export function deliveryToAttempt(
  { id: eventId, event, at }: StoredEvent,
  delivery: WebhookDelivery | undefined,
  { _id: endpointId, activation }: Pick<WebhookEndpoint, '_id' | 'activation'>,
  { replay }: Pick<WebhookJob, 'replay'>,
): WebhookDelivery | undefined {
  if (replay !== undefined && delivery?.replay !== replay) {
    return {
      ...{ endpointId, eventId, event, at, activation, state: 'pending' },
      ...{ attempts: delivery?.attempts ?? [], failures: 0, replay },
    };
  }
  return delivery?.state === 'pending' && delivery.activation === activation ? delivery : undefined;
}

/** Whether the delivery is to be attempted now, and not later. */
export const isDue = ({ nextAttemptAt = '' }: WebhookDelivery, now: Date): boolean =>
  nextAttemptAt <= timestamp(after(now, clockDifference));
