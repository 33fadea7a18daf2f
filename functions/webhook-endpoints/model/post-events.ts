import { eventKeyFor, type StoredEvent } from '../../../shared/events/outbox.ts';
import {
  deliveryEnd,
  deliveryKey,
  enqueueWebhooks,
  type WebhookDelivery,
  type WebhookJob,
} from '../../../shared/events/webhook-delivery.ts';
import type { WebhookEndpoint } from '../../../shared/events/webhook-endpoint.ts';
import { forEachOrThrow } from '../../../shared/kernel/for-each-concurrently.ts';
import type { ClockAndIds, Ports } from '../../../shared/kernel/operation.ts';
import { second } from '../../../shared/kernel/time.ts';
import type { Report } from '../../../shared/kernel/trigger.ts';
import { readAll } from '../../../shared/table/read-all.ts';
import type { Stored, TableWriter } from '../../../shared/table/table.ts';
import { afterAttempt, isGone, isSuccess, randomFor } from './after-attempt.ts';
import { deliveryToAttempt, isDue } from './delivery-to-attempt.ts';
import { countIn, endpointCountKey, endpointKey, isCrowded, laneFor, widthOfLane } from './endpoint.ts';
import { isSlow, recordHealth, recordSlowness } from './endpoint-health.ts';
import { openSecrets, postSigned } from './post-signed.ts';
import { scheduleRetries } from './schedule-retries.ts';
import { stopEndpoint } from './stop-endpoint.ts';
import { webhookBody } from './webhook-body.ts';
import { writeUnlessChanged } from './write-unless-changed.ts';

/** Milliseconds after which no further post is begun: the last ones may take 15 s, and the invocation has 29 s. */
export const postingTime = 10 * second;

type PostPorts = ClockAndIds & {
  clock(): Date;
} & Ports<{
    organizations: 'write';
    platform: 'write';
    secrets: 'open';
    outgoingPosts: 'send';
    webhookPosts: 'send';
  }>;

/** A delivery that is not over. */
interface Open {
  readonly event: StoredEvent;
  readonly stored: Stored<WebhookDelivery> | undefined;
  readonly delivery: WebhookDelivery;
}

/**
 * Posts the events of a job that are due, some at a time, and queues those again for which there is no time. What became of each is stored
 * as soon as it is known. What is due again is scheduled at the end, together: nobody could post it before, because the lane is busy; and
 * if this fails, the message comes again, and finds it. Nothing is posted to an endpoint that is off.
 */
export async function postEvents(job: WebhookJob, ports: PostPorts, until: AbortSignal): Promise<Report> {
  const { organizations, platform, secrets: opener, outgoingPosts, webhookPosts, clock, newId } = ports;
  const { organizationId, endpointId, eventIds } = job;
  const table = organizations(organizationId);
  const [endpoint, counter, ...records] = await readAll<unknown, 'organization'>(table, [
    endpointKey(endpointId),
    endpointCountKey(),
    ...eventIds.map(eventKeyFor),
    ...eventIds.map((id) => deliveryKey(endpointId, id)),
  ]);
  const events = records.slice(0, eventIds.length) as (Stored<StoredEvent> | undefined)[];
  const deliveries = records.slice(eventIds.length) as (Stored<WebhookDelivery> | undefined)[];
  const stored = endpoint as Stored<WebhookEndpoint> | undefined;
  if (stored === undefined || !stored.data.isActive) {
    return { off: eventIds.length };
  }
  const { data } = stored;
  const count = countIn(counter);
  const enqueue = (changed: Partial<WebhookJob>) => {
    const next = { ...job, ...changed, part: newId() };
    return enqueueWebhooks(webhookPosts, next, laneFor(data, next));
  };
  // Not when it is sent: who sends it may know neither.
  const isAside = isCrowded(count) && isSlow(stored, ports.now);
  if (isAside !== (job.isAside ?? false)) {
    await enqueue({ isAside });
    return { moved: eventIds.length };
  }
  const open = eventIds.flatMap((_, index): Open[] => {
    const [event, delivery] = [events[index]?.data, deliveries[index]];
    const wanted = event && deliveryToAttempt(event, delivery?.data, data, job);
    return event === undefined || wanted === undefined ? [] : [{ event, stored: delivery, delivery: wanted }];
  });
  const due = open.filter(({ delivery }) => isDue(delivery, ports.now));
  const later = open.map(({ delivery }) => delivery).filter((delivery) => !isDue(delivery, ports.now));
  const secrets = await openSecrets(data, organizationId, opener, ports.now);
  const random = randomFor(newId());
  const outcomes = { isAnySuccess: false, isAnyFailure: false, isGone: false, milliseconds: 0 };
  const rest: string[] = [];

  await forEachOrThrow(due, widthOfLane(count), async ({ event, stored: before, delivery }) => {
    if (until.aborted || outcomes.isGone) {
      rest.push(event.id);
      return;
    }
    const post = { id: event.id, body: webhookBody(event, organizationId) };
    const result = await postSigned(outgoingPosts, data.url, secrets, post, clock());
    if (isGone(result)) {
      // First: once the delivery has failed, nothing would try this again.
      await stopEndpoint(table, data, 'gone', { now: clock(), newId });
    }
    const next = afterAttempt(delivery, result, clock(), random);
    outcomes.isAnySuccess ||= isSuccess(result);
    outcomes.isAnyFailure ||= !isSuccess(result);
    outcomes.isGone ||= isGone(result);
    outcomes.milliseconds = Math.max(outcomes.milliseconds, result.milliseconds);
    await record(table, before, next);
    if (next.state === 'pending') {
      later.push(next);
    }
  });

  if (!outcomes.isGone) {
    await scheduleRetries(platform, job, later);
    await recordHealth(table, stored, outcomes, { now: clock(), newId });
    await (isCrowded(count) ? recordSlowness(table, stored, outcomes.milliseconds, clock()) : undefined);
  }
  if (rest.length > 0 && !outcomes.isGone) {
    await enqueue({ eventIds: rest });
  }
  return { posts: due.length - rest.length, ...(rest.length > 0 && { rest: rest.length }) };

  /** If another invocation has recorded an attempt of its own meanwhile, because this one took too long, that one counts. */
  async function record(
    to: TableWriter,
    before: Stored<WebhookDelivery> | undefined,
    next: WebhookDelivery,
  ): Promise<void> {
    const options = { expiresAt: deliveryEnd(next.eventId) };
    const write =
      before === undefined
        ? to.add(deliveryKey(endpointId, next.eventId), next, options)
        : to.replace(before, next, options);
    // A replay that ends after the event was erased with its contact must not bring its response back; other deliveries go with the event.
    const isThere =
      before === undefined ? [to.require(eventKeyFor(next.eventId), { when: 'attribute_exists(pk)' })] : [];
    await writeUnlessChanged(to.commit([write, ...isThere]));
  }
}
