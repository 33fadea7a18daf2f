import { decodeTime } from 'ulid';
import type { MessageQueue } from '../kernel/message-queue.ts';
import { after, hour, type Timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';
import { type EventName, replayHours } from './outbox.ts';

/** An attempt to post an event, and what came back. */
export interface DeliveryAttempt {
  at: Timestamp;
  status?: number;
  milliseconds: number;
  /** The beginning of the body of the response. */
  response?: string;
  error?: 'timeout' | 'dns' | 'refused_address' | 'connection' | 'tls';
}

/** An event for an endpoint. */
export interface WebhookDelivery {
  endpointId: string;
  eventId: string;
  event: EventName;
  /** When the event happened. */
  at: Timestamp;
  /** That of the endpoint. Once it has been switched off, what was pending has failed. */
  activation: number;
  state: 'pending' | 'delivered' | 'failed';
  /** The newest last. */
  attempts: readonly DeliveryAttempt[];
  /** Failed attempts since it was due first, or was last replayed. */
  failures: number;
  /** When it is due again, while it is pending. */
  nextAttemptAt?: Timestamp;
  /** The newest replay that it belongs to. */
  replay?: string;
}

/** A message of the queue `webhookPosts`: events to post to one endpoint. It names records and holds none of their data. */
export interface WebhookJob {
  readonly organizationId: string;
  readonly endpointId: string;
  readonly eventIds: readonly string[];
  /** Posts them whatever became of them before, once for each replay. */
  readonly replay?: string;
  /** Whether it is in one of the lanes where those of slow endpoints wait for each other. */
  readonly isAside?: boolean;
  /** Makes the message another one than all before: the queue drops messages that it has had within 5 minutes. */
  readonly part?: string;
}

/** Events of one message: one read finds them all. */
export const eventsOfJob = 100;

/**
 * Queues events in the turn of the endpoint's lane: only one message of a lane is worked on at a time.
 * @throws when the queue does not take them.
 */
export async function enqueueWebhooks(queue: MessageQueue, job: WebhookJob, lane: number): Promise<void> {
  await queue.send(JSON.stringify(job), { group: `${job.organizationId} ${lane}` });
}

/** When the record may be deleted: with its event, without which nothing could be posted again. */
export const deliveryEnd = (eventId: string): Date =>
  after(new Date(decodeTime(eventId)), (replayHours + 1) * hour);

export const deliveryKey = (endpointId: string, eventId: string): Key<WebhookDelivery> => ({
  partition: ['WEBHOOK', endpointId],
  sort: ['DELIVERY', eventId],
});

export const deliveryRange = (endpointId: string): Range<WebhookDelivery> => ({
  partition: ['WEBHOOK', endpointId],
  under: ['DELIVERY'],
});
