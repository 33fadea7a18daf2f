import { socketOperation } from '../../shared/kernel/trigger.ts';
import { frameOf } from '../../shared/live/outbox.ts';
import { currentSubscriber } from './model/audience.ts';
import { connectionHolderKey, connectionKey, isCurrent, isInSession } from './model/connection.ts';
import { missedSince, replayStart } from './model/replay.ts';
import { authenticateFirst, connectAgain, resyncRequired, tooOften } from './model/replies.ts';

/** What a posted frame costs, in read units of the table. */
const unitsOfFrame = 8;

/**
 * Takes `{"action": "resume", "since": "<id of the last event received before this connection>"}`. Sends every later event that the
 * user may see with their current role and departments, each as a frame, in order, then replies `resumed`. Some events from just
 * before `since` are repeated: clients drop ids they know. Replies `resync_required` if `since` is not an event of the last 24
 * hours, or if too much was missed: then load everything again and continue with the next event.
 * Replies `error` to a user who has resumed too many events in a short time.
 */
export default socketOperation({
  on: 'resume',
  summary: 'Replay the events missed since the given one',
  fields: { since: 'The `id` of the last event received before this connection.' },
  replies: ['resumed', 'resync_required'],
  uses: { organizations: 'read', identity: 'read', sockets: 'post', spending: 'limit' },
  async run({ connectionId, frame }, { organizations, identity, sockets, spending, now }) {
    const holder = await identity.read(connectionHolderKey(connectionId));
    if (holder === undefined) {
      return connectAgain;
    }
    const { organizationId, userId } = holder.data;
    const table = organizations(organizationId);
    const [connection, subscriber, last] = await Promise.all([
      table.read(connectionKey(userId, connectionId)),
      currentSubscriber(userId, table),
      replayStart(frame?.since, table, now),
    ]);
    if (
      connection === undefined ||
      subscriber === undefined ||
      !isInSession(connection.data, subscriber.user)
    ) {
      return connectAgain;
    }
    if (!isCurrent(connection.data, now)) {
      return authenticateFirst;
    }
    if (last === undefined) {
      return resyncRequired('since is not the id of an event of the last 24 hours.');
    }
    const replay = async () => {
      for await (const missed of missedSince(last, subscriber, table, now)) {
        if (missed === 'too much') {
          return resyncRequired('Too many events were missed.');
        }
        spending.add(unitsOfFrame);
        if ((await sockets.send(connectionId, frameOf(missed))) === 'gone') {
          return undefined;
        }
      }
      return { event: 'resumed', data: { since: last.id } } as const;
    };
    return spending.limited(userId, replay).catch(tooOften);
  },
});
