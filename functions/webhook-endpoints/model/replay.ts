import * as z from 'zod/mini';
import { eventRanges } from '../../../shared/events/event-log.ts';
import type { StoredEvent } from '../../../shared/events/outbox.ts';
import { enqueueWebhooks, eventsOfJob } from '../../../shared/events/webhook-delivery.ts';
import { subscribes, type WebhookEndpoint } from '../../../shared/events/webhook-endpoint.ts';
import { chunks } from '../../../shared/kernel/chunks.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { forEachOrThrow } from '../../../shared/kernel/for-each-concurrently.ts';
import type { MessageQueue } from '../../../shared/kernel/message-queue.ts';
import { unpacked } from '../../../shared/kernel/packing.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { dataResponse } from '../../../shared/kernel/schemas/envelope.ts';
import { after, timestamp } from '../../../shared/kernel/time.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** The events of a replay at most, and those that are looked at for it. */
const limits = { events: 10_000, read: 50_000 };

/** Hours that are read, and messages that are sent, at the same time. */
const width = 10;

export const replayResponse = () =>
  dataResponse(
    described(z.object({ count: z.int() }), { count: 'How many events are posted, as soon as may be.' }),
  );

/** @throws a 409 `Failure` for an endpoint that is off. */
export function requireActive({ isActive }: WebhookEndpoint): void {
  if (!isActive) {
    throw new Failure(
      'CONFLICT',
      'The webhook endpoint is off. Switch it on first: PUT /api/webhook-endpoints/{id} with isActive: true.',
    );
  }
}

/** The ids of the events in a range, both ends included, that the endpoint gets. @throws a 400 `Failure` for too many. */
export async function readRange(
  table: TableReader,
  endpoint: WebhookEndpoint,
  { from, to, names }: { from: Date; to: Date; names?: readonly string[] | undefined },
  now: Date,
): Promise<string[]> {
  const [first, last] = [timestamp(from), timestamp(to)];
  const ids: string[] = [];
  let read = 0;
  await forEachOrThrow(eventRanges(from, now, after(to, 1)), width, async (range) => {
    for await (const rows of table.rows(range, { consistent: true })) {
      for (const { data = '' } of rows) {
        const { id, event, at } = unpacked<StoredEvent>(data);
        if (at >= first && at <= last && subscribes(endpoint, event) && names?.includes(event) !== false) {
          ids.push(id);
        }
      }
      read += rows.length;
      if (ids.length > limits.events || read > limits.read) {
        throw new Failure(
          'INVALID',
          `The range has more than ${ids.length > limits.events ? limits.events : limits.read} events. Replay shorter ones, one after the other.`,
        );
      }
    }
  });
  return ids.toSorted();
}

/** Queues a replay of these events. @throws when the queue does not take all of them: then some are posted. */
export async function enqueueReplay(
  queue: MessageQueue,
  organizationId: string,
  { _id: endpointId, lane }: WebhookEndpoint,
  ids: readonly string[],
  replay: string,
): Promise<void> {
  await forEachOrThrow(chunks(ids, eventsOfJob), width, (eventIds) =>
    enqueueWebhooks(queue, { organizationId, endpointId, eventIds, replay }, lane),
  );
}
