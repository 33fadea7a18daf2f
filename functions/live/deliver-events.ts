import { second } from '../../shared/kernel/time.ts';
import { orderedQueueOperation } from '../../shared/kernel/trigger.ts';
import { deliverJobs } from './model/deliver-jobs.ts';
import { eventJobsIn, replayJobsIn } from './model/live-job.ts';
import { replyFrame } from './model/replies.ts';
import { resumeConnection } from './model/resume-connection.ts';

/** Milliseconds in which connections must have got their events. The invocation has 15 s. */
const servingTime = 10 * second;

/** Milliseconds after which the rest of a replay is left to another invocation. */
const replayingTime = 8 * second;

/** Delivers the events of one organization, or goes on with the replay of one connection: each has a group of its own. */
export default orderedQueueOperation({
  queue: 'liveEvents',
  summary: 'Deliver events to the connections whose user may see the record',
  uses: {
    organizations: 'write',
    identity: 'write',
    sockets: 'post',
    queue: 'liveEvents',
    connectionLimit: 'read',
  },
  async run(messages, { organizations, identity, sockets, queue, connectionLimit, now, newId }) {
    const ports = { organizations, identity, sockets, queue, now, newId };
    for (const { connectionId, since, from } of replayJobsIn(messages)) {
      const until = AbortSignal.timeout(replayingTime);
      const reply = await resumeConnection({ connectionId, since, from, until }, ports);
      if (reply !== undefined) {
        await sockets.send(connectionId, replyFrame(reply, ports));
      }
    }
    const jobs = eventJobsIn(messages);
    return jobs.length === 0
      ? {}
      : deliverJobs(jobs, { ...ports, connectionLimit }, AbortSignal.timeout(servingTime));
  },
});
