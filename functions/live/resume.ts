import { second } from '../../shared/kernel/time.ts';
import { socketOperation } from '../../shared/kernel/trigger.ts';
import { resumeConnection } from './model/resume-connection.ts';

/** Milliseconds after which the rest of a replay is left to `deliver-events`: the gateway waits for 29 seconds. */
const replayingTime = 20 * second;

/**
 * Takes `{"action": "resume", "since": "<id of the last event received before this connection>"}`. Sends every later event that the
 * user may see with their current role and departments, each as a frame, in order, then replies `resumed`. Some events from just
 * before `since` are repeated: clients drop ids they know. Replies `resync_required` if `since` is not an event of the last 72
 * hours, or if more than 5,000 events were missed: then load everything again and continue with the next event.
 * Replies `error` to a user who has resumed too many events in a short time.
 */
export default socketOperation({
  on: 'resume',
  summary: 'Replay the events missed since the given one',
  fields: { since: 'The `id` of the last event received before this connection.' },
  replies: ['resumed', 'resync_required'],
  uses: {
    organizations: 'read',
    identity: 'read',
    sockets: 'post',
    rateLimits: 'limit',
    queue: 'liveEvents',
  },
  run({ connectionId, frame }, { organizations, identity, sockets, rateLimits, queue, now, newId }) {
    const until = AbortSignal.timeout(replayingTime);
    const ports = { organizations, identity, sockets, rateLimits, queue, now, newId };
    return resumeConnection({ connectionId, since: frame?.since, until }, ports);
  },
});
