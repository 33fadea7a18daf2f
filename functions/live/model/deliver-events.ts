import type { MessageQueue } from '../../../shared/kernel/message-queue.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import type { Sockets } from '../../../shared/kernel/providers/sockets.ts';
import { after, second } from '../../../shared/kernel/time.ts';
import type { Report } from '../../../shared/kernel/trigger.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { resyncedAction } from './connection.ts';
import { deliverToEndpoints } from './deliver-to-endpoints.ts';
import { deliveries } from './deliveries.ts';
import { dispatch } from './dispatch.ts';
import type { EventsJob } from './live-job.ts';
import { readRecipients } from './recipients.ts';
import { replyFrame, resyncRequired } from './replies.ts';

interface DeliveryPorts extends ClockAndIds {
  organizations(organizationId: string): TableWriter;
  readonly identity: TableWriter<'identity'>;
  readonly sockets: Sockets;
  readonly connectionLimit: number;
  readonly webhookPosts: MessageQueue;
  readonly sentAt: Date;
}

/** Milliseconds after which events are too late: the connections of the organization get `resync_required` instead of its backlog. */
const latest = 10 * second;

/** Clocks of functions and of the queue differ by less. */
const clockDifference = 2 * second;

/**
 * Delivers events of one organization, in their order. If they are late, because it has had more events than its connections could get,
 * every connection is told to load everything again, once: what was handed over before needs no frames any more.
 */
export async function deliverEvents(
  job: EventsJob,
  { organizations, identity, sockets, connectionLimit, webhookPosts, sentAt, now, newId }: DeliveryPorts,
  deadline: AbortSignal,
): Promise<Report> {
  const organization = organizations(job.organizationId);
  const tables = { organization, identity };
  const isLate = sentAt < after(now, -latest);
  const recipients = await readRecipients(job, tables, isLate);
  const { events, subscriptions, resyncedAt } = recipients;
  // However late: an endpoint misses nothing. Connections do not wait for it.
  const queueing = Promise.allSettled([
    deliverToEndpoints(events, subscriptions, organization, webhookPosts, now),
  ]);
  const isCovered = resyncedAt !== undefined && sentAt < after(resyncedAt, -clockDifference);
  const due = deliveries(
    recipients,
    {
      what: isCovered ? 'nothing' : isLate ? 'resync' : 'events',
      resyncFrame: replyFrame(resyncRequired('More happened than could be delivered in time.'), {
        now,
        newId,
      }),
      connectionLimit,
    },
    now,
  );
  const outcome = await dispatch({ ...due, tables, unclosed: recipients.unclosed }, sockets, now, deadline);
  if (isLate && due.deliveries.length > 0) {
    // Not before: after a failure, the next try must do it.
    await organization.commit([resyncedAction(organization, now)]);
  }
  const [queued] = await queueing;
  if (queued.status === 'rejected') {
    throw queued.reason; // The message comes again.
  }
  const posts = queued.value;
  return { connections: due.deliveries.length, ...outcome, ...(posts > 0 && { posts }) };
}
