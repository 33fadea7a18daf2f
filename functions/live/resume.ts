import { socketOperation } from '../../shared/kernel/trigger.ts';
import { authenticateFirst, connectAgain } from '../../shared/live/answers.ts';
import { shownTo, watcherOf } from '../../shared/live/audience.ts';
import { isTrusted } from '../../shared/live/connection.ts';
import { frameOf } from '../../shared/live/outbox.ts';
import { eventKey, eventsSince, replayableTime } from '../../shared/live/replay.ts';
import { identityKeys, keys } from '../../shared/table/keys.ts';
import { usersOf } from '../../shared/visibility.ts';

/** Above either of these a client is better served by reading everything anew. */
const limits = { sent: 1_000, read: 20_000 };

/**
 * `{"action": "resume", "since": "<id of the last event received>"}`. Every later event that the user may see now is sent
 * as a frame of its own, in order, then `resumed` answers. Some events from just before `since` come again: a client
 * drops those whose id it knows. `resync_required` instead, when `since` is no event of the last 24 hours or too much was
 * missed: read everything anew and go on from the next event.
 */
export default socketOperation({
  on: 'resume',
  summary: 'Replay the events missed since the one named',
  uses: { organizations: 'read', identity: 'read', sockets: 'post' },
  async run({ connectionId, frame }, { organizations, identity, sockets, now }) {
    const owner = await identity.read(identityKeys.connection(connectionId));
    if (owner === undefined) {
      return connectAgain;
    }
    const table = organizations(owner.data.organizationId);
    const since = frame?.since;
    const at = replayableTime(since, now);
    const [connection, users, last] = await Promise.all([
      table.read(keys.connection(connectionId)),
      usersOf(table),
      at && table.read(eventKey(String(since), at)),
    ]);
    const watcher = watcherOf(owner.data.userId, users);
    if (connection === undefined || watcher === undefined) {
      return connectAgain;
    }
    if (!isTrusted(connection.data, now)) {
      return authenticateFirst;
    }
    if (at === undefined || last === undefined) {
      return resyncRequired('since is not the id of an event of the last 24 hours.');
    }

    let [sent, read] = [0, 0];
    for await (const events of eventsSince(table, at, now)) {
      read += events.length;
      for (const event of events) {
        const shown = event.id === since ? undefined : shownTo(watcher, event);
        if (shown === undefined) {
          continue;
        }
        if (sent === limits.sent) {
          return resyncRequired('Too much was missed.');
        }
        if ((await sockets.send(connectionId, frameOf(shown))) === 'gone') {
          return undefined;
        }
        sent += 1;
      }
      if (read > limits.read) {
        return resyncRequired('Too much was missed.');
      }
    }
    return { event: 'resumed', data: { since, replayed: sent } };
  },
});

function resyncRequired(reason: string) {
  return { event: 'resync_required', data: { message: `${reason} Read everything anew.` } };
}
