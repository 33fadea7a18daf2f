import { replayHours, toFrame } from '../../../shared/events/outbox.ts';
import type { MessageQueue } from '../../../shared/kernel/message-queue.ts';
import type { ClockAndIds, Ports } from '../../../shared/kernel/operation.ts';
import type { Reply } from '../../../shared/kernel/schemas/reply-schemas.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import { readSubscriber } from './audience.ts';
import { connectionHolderKey, connectionKey, isCurrent, isInSession } from './connection.ts';
import { enqueueReplay } from './live-job.ts';
import { beginning, type Progress, readMissedSince, replayStart } from './replay.ts';
import { authenticateFirst, connectAgain, resyncRequired, tooOften } from './replies.ts';
import { isLive } from './socket-session.ts';

/** The price of a posted frame, in read units of the table. */
const unitsOfFrame = 8;

interface ResumePorts extends ClockAndIds, Ports<{ sockets: 'post'; rateLimits: 'limit' }> {
  organizations(organizationId: string): TableReader;
  readonly identity: TableReader<'identity'>;
  readonly queue: MessageQueue;
}

export interface Resumption {
  readonly connectionId: string;
  /** The id that the client has sent. */
  readonly since: unknown;
  /** How far earlier invocations have come. */
  readonly from?: Progress;
  /** Aborted when the rest is left to another invocation. */
  readonly until: AbortSignal;
}

/**
 * Sends a connection what it has missed, as far as the time goes; the queue gets the rest.
 * @returns the frame in reply; undefined if the connection is gone, or if another invocation replies.
 */
export async function resumeConnection(
  { connectionId, since, from = beginning, until }: Resumption,
  { organizations, identity, sockets, rateLimits, queue, now, newId }: ResumePorts,
): Promise<Reply<'resumed' | 'resync_required' | 'error'> | undefined> {
  const holder = await identity.read(connectionHolderKey(connectionId));
  if (holder === undefined) {
    return connectAgain;
  }
  const { organizationId, userId, keyId } = holder.data;
  const table = organizations(organizationId);
  const [connection, subscriber, last] = await Promise.all([
    table.read(connectionKey(userId, connectionId)),
    readSubscriber(userId, keyId, table),
    replayStart(since, table, now),
  ]);
  if (
    connection === undefined ||
    subscriber === undefined ||
    !isInSession(connection.data, subscriber.user) ||
    (connection.data.key !== undefined && !isLive(subscriber.apiKey, connection.data.key, now))
  ) {
    return connectAgain;
  }
  if (!isCurrent(connection.data, now)) {
    return authenticateFirst;
  }
  if (last === undefined) {
    return resyncRequired(`since is not the id of an event of the last ${replayHours} hours.`);
  }
  const replay = async () => {
    for await (const missed of readMissedSince(last, subscriber, table, now, from)) {
      if (missed === 'too much') {
        return resyncRequired('Too many events were missed.');
      }
      rateLimits.chargeUnits(unitsOfFrame);
      if ((await sockets.send(connectionId, toFrame(missed.event))) === 'gone') {
        return undefined;
      }
      if (until.aborted) {
        const rest = { organizationId, connectionId, since: last.id, from: missed.progress, turn: newId() };
        await enqueueReplay(queue, rest);
        return undefined;
      }
    }
    return { event: 'resumed', data: { since: last.id } } as const;
  };
  return rateLimits.limitReads(userId, replay).catch(tooOften);
}
