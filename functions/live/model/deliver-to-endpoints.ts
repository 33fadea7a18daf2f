import type { StoredEvent } from '../../../shared/events/outbox.ts';
import {
  deliveryEnd,
  deliveryKey,
  enqueueWebhooks,
  eventsOfJob,
  type WebhookDelivery,
} from '../../../shared/events/webhook-delivery.ts';
import { type Subscription, subscribes } from '../../../shared/events/webhook-endpoint.ts';
import { chunks } from '../../../shared/kernel/chunks.ts';
import { forEachOrThrow } from '../../../shared/kernel/for-each-concurrently.ts';
import type { MessageQueue } from '../../../shared/kernel/message-queue.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { readAll } from '../../../shared/table/read-all.ts';
import { type TableWriter, transactionLimit, VersionConflict } from '../../../shared/table/table.ts';

/** Transactions and messages at the same time. */
const width = 10;

/**
 * Stores what is to be posted to endpoints, then queues it. If it is repeated after a failure, it changes no delivery that is there, and an
 * event that is posted twice has the same id.
 * @throws when not all is stored and queued.
 */
export async function deliverToEndpoints(
  events: readonly StoredEvent[],
  subscriptions: readonly Subscription[],
  organization: TableWriter,
  queue: MessageQueue,
  now: Date,
): Promise<number> {
  const due = subscriptions.map((subscription) => ({
    subscription,
    events: events.filter(({ event }) => subscribes(subscription, event)),
  }));
  const deliveries = due.flatMap(({ subscription, events: some }) =>
    some.map((event) => newDelivery(event, subscription, now)),
  );
  await forEachOrThrow(chunks(deliveries, transactionLimit), width, (some) => store(some, organization));
  const jobs = due.flatMap(({ subscription: { _id: endpointId, lane }, events: some }) =>
    chunks(
      some.map(({ id }) => id),
      eventsOfJob,
    ).map((eventIds) => ({
      lane,
      job: { organizationId: organization.organizationId, endpointId, eventIds },
    })),
  );
  await forEachOrThrow(jobs, width, ({ job, lane }) => enqueueWebhooks(queue, job, lane));
  return deliveries.length;
}

function newDelivery(
  { id: eventId, event, at }: StoredEvent,
  { _id: endpointId, activation }: Subscription,
  now: Date,
): WebhookDelivery {
  return {
    ...{ endpointId, eventId, event, at, activation, state: 'pending' },
    ...{ attempts: [], failures: 0, nextAttemptAt: timestamp(now) },
  };
}

/** Stores deliveries, but for those that an earlier try has stored. */
async function store(deliveries: readonly WebhookDelivery[], organization: TableWriter): Promise<void> {
  const keyFor = ({ endpointId, eventId }: WebhookDelivery) => deliveryKey(endpointId, eventId);
  const add = (some: readonly WebhookDelivery[]) =>
    organization.commit(
      some.map((delivery) =>
        organization.add(keyFor(delivery), delivery, { expiresAt: deliveryEnd(delivery.eventId) }),
      ),
    );
  try {
    await add(deliveries);
  } catch (error) {
    if (!(error instanceof VersionConflict)) {
      throw error;
    }
    await organization.optimistically(async () => {
      const stored = await readAll(organization, deliveries.map(keyFor));
      await add(deliveries.filter((_, index) => stored[index] === undefined));
    });
  }
}
