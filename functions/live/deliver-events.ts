import { second } from '../../shared/kernel/time.ts';
import { orderedQueueOperation } from '../../shared/kernel/trigger.ts';
import { deliverEvents } from './model/deliver-events.ts';
import type { LiveJob } from './model/live-job.ts';
import { replyFrame } from './model/replies.ts';
import { resumeConnection } from './model/resume-connection.ts';

/** Milliseconds in which connections must have got their events. The invocation has 15 s. */
const servingTime = 10 * second;

/** Milliseconds after which a replay goes on in another turn: the events of the organization wait for it. */
const replayingTime = 3 * second;

/** Delivers events of one organization, or goes on with the replay of one of its connections. */
export default orderedQueueOperation({
  queue: 'liveEvents',
  summary: 'Deliver events to the connections whose user may see the record, and queue them for webhooks',
  uses: {
    organizations: 'write',
    identity: 'write',
    sockets: 'post',
    rateLimits: 'limit',
    queue: 'liveEvents',
    webhookPosts: 'send',
    connectionLimit: 'read',
  },
  async run(
    message,
    {
      organizations,
      identity,
      sockets,
      rateLimits,
      queue,
      webhookPosts,
      connectionLimit,
      sentAt,
      now,
      newId,
    },
  ) {
    const job = message as LiveJob;
    if (job.kind === 'events') {
      const ports = {
        ...{ organizations, identity, sockets, connectionLimit, webhookPosts, sentAt, now, newId },
      };
      return deliverEvents(job, ports, AbortSignal.timeout(servingTime));
    }
    const { connectionId, since, from } = job;
    const until = AbortSignal.timeout(replayingTime);
    const ports = { organizations, identity, sockets, rateLimits, queue, now, newId };
    const reply = await resumeConnection({ connectionId, since, from, until }, ports);
    if (reply !== undefined) {
      await sockets.send(connectionId, replyFrame(reply, { now, newId }));
    }
    return {};
  },
});
