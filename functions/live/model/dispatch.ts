import { forEachConcurrently } from '../../../shared/kernel/for-each-concurrently.ts';
import type { Sockets } from '../../../shared/kernel/providers/sockets.ts';
import type { Action } from '../../../shared/table/table.ts';
import type { SocketConnection, UnclosedConnection } from './connection.ts';
import {
  type ConnectionTables,
  closingActions,
  isOpening,
  unclosedAction,
  unclosedConnectionKey,
} from './connection.ts';
import type { ConnectionFrames, Deliveries } from './deliveries.ts';

/** The work that is due in one organization. */
export interface Due extends Deliveries {
  readonly tables: ConnectionTables;
  readonly unclosed: readonly UnclosedConnection[];
}

/** Connections served at the same time: as many as the client of the management API has sockets. */
const width = 50;

/** Connections that one dispatch closes because they have expired or are too many: they take about a second. */
const closedAtOnce = 2_000;

/**
 * Sends all frames, and closes connections that have expired or cannot be served. A connection gets its frames one after the other, and
 * none after a failure, so that they arrive in order; connections do not wait for each other. One that cannot be served by the deadline is
 * closed and forgotten: its client connects again and resumes, whereas another try of all events would repeat them to everybody else. A
 * connection that the table cannot forget now, or for whose closing there was no time or no room, is found again with the next events;
 * those whose session has ended come first, because only its end tells of it.
 * @returns how many connections were closed or forgotten, and of how many the table could not be told.
 */
export async function dispatch(
  { tables, deliveries, expired, unclosed }: Due,
  sockets: Sockets,
  now: Date,
  deadline: AbortSignal,
): Promise<{ ended: number; unforgotten: number }> {
  const closer = connectionCloser(sockets, tables, now, deadline);

  async function serve({ connection, frames }: ConnectionFrames): Promise<void> {
    for (const frame of frames) {
      const outcome = await sockets.send(connection.connectionId, frame, deadline).catch(() => 'failed');
      if (outcome === 'failed') {
        return closer.close(connection);
      }
      if (outcome === 'gone') {
        return closer.forgetGone(connection);
      }
    }
  }

  const closings = [
    ...expired.map((connection) => () => closer.close(connection)),
    ...unclosed.map((connection) => () => closer.closeAtLast(connection)),
  ];
  const work = [
    ...deliveries.map((delivery) => () => serve(delivery)),
    ...closings.slice(0, closedAtOnce).map((close) => async () => deadline.aborted || close()),
  ];
  const failures = await forEachConcurrently(work, width, async (task) => void (await task()));
  return { ended: closer.ended(), unforgotten: failures.length };
}

/** Closes connections and forgets them in the table; counts how many. */
function connectionCloser(sockets: Sockets, tables: ConnectionTables, now: Date, deadline: AbortSignal) {
  let ended = 0;
  const forget = (actions: readonly Action[]) => {
    ended += 1;
    return tables.organization.commit(actions);
  };
  const closed = (connectionId: string) => sockets.close(connectionId, deadline).catch(() => 'failed');

  async function forgetGone(connection: SocketConnection): Promise<void> {
    // If it were forgotten now, a connection that is still opening would never get an event.
    if (!isOpening(connection, now)) {
      await forget(closingActions(tables, connection));
    }
  }

  return {
    ended: () => ended,
    forgetGone,

    /** Forgets the connection, whether or not it can be closed now. */
    async close(connection: SocketConnection): Promise<void> {
      const outcome = await closed(connection.connectionId);
      if (outcome === 'gone') {
        return forgetGone(connection);
      }
      // A client whose connection stays open would wait for events that do not come.
      const later = outcome === 'failed' ? [unclosedAction(tables, connection)] : [];
      await forget([...closingActions(tables, connection), ...later]);
    },

    /** Closes one that could not be closed before. */
    async closeAtLast(connection: UnclosedConnection): Promise<void> {
      const outcome = await closed(connection.connectionId);
      if (outcome === 'closed' || (outcome === 'gone' && !isOpening(connection, now))) {
        await forget([tables.organization.delete(unclosedConnectionKey(connection.connectionId))]);
      }
    },
  };
}
