import { forEachConcurrently } from '../../../shared/kernel/for-each-concurrently.ts';
import type { Sockets } from '../../../shared/live/sockets.ts';
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

/** What is due in one organization. */
export interface Due extends Deliveries {
  readonly tables: ConnectionTables;
  readonly unclosed: readonly UnclosedConnection[];
}

/** Connections served at the same time: as many as the client of the management API has sockets. */
const width = 50;

/** Connections that one dispatch closes because they have expired or are too many: they take about a second, and others wait. */
const closedAtOnce = 2_000;

/** How long a dispatch may take, and what happens to connections that are not served in time. */
export interface Serving {
  /** Aborted when no further connection may be served: those that have got a frame by then get the rest. */
  readonly beginUntil: AbortSignal;
  /** Aborted when no request may take any longer. */
  readonly deadline: AbortSignal;
  /** Whether the same events come again, fewer at a time, after an error. */
  readonly canBeHalved: boolean;
}

/**
 * Sends all frames, and closes connections that have expired or cannot be served. A connection gets its frames one after the
 * other, and none after a failure, so that they arrive in order; connections do not wait for each other, and organizations take
 * turns, so that none waits for all connections of another. One that cannot be served in time is closed and forgotten: its client
 * connects again and resumes, whereas another try of all events would repeat them to everybody else. A connection that the table
 * cannot forget now, or for whose closing there was no time or no room, is found again with the next events; those whose session has ended
 * come first, because only its end tells of it.
 *
 * A connection whose turn did not come is sound: it is left as it is, and the events are tried again in halves. Only if there is
 * a single event, which could be tried again forever, is it closed like one that cannot be served.
 * @returns how many connections were closed or forgotten, and of how many the table could not be told.
 * @throws after all that could be sent, if connections were left as they are.
 */
export async function dispatch(
  due: readonly Due[],
  sockets: Sockets,
  now: Date,
  { beginUntil, deadline, canBeHalved }: Serving,
): Promise<{ ended: number; unforgotten: number }> {
  let unserved = 0;
  const closer = connectionCloser(sockets, now, deadline);

  async function serve({ connection, frames }: ConnectionFrames, tables: ConnectionTables): Promise<void> {
    if (beginUntil.aborted) {
      if (!canBeHalved) {
        return closer.close(connection, tables);
      }
      unserved += 1;
      return;
    }
    for (const frame of frames) {
      const outcome = await sockets.send(connection.connectionId, frame, deadline).catch(() => 'failed');
      if (outcome === 'failed') {
        return closer.close(connection, tables);
      }
      if (outcome === 'gone') {
        return closer.forgetGone(connection, tables);
      }
    }
  }

  const closings = [
    ...inTurn(due.map(({ expired, tables }) => expired.map((one) => () => closer.close(one, tables)))),
    ...inTurn(
      due.map(({ unclosed, tables }) => unclosed.map((one) => () => closer.closeAtLast(one, tables))),
    ),
  ];
  const work = [
    ...inTurn(due.map(({ deliveries, tables }) => deliveries.map((one) => () => serve(one, tables)))),
    ...closings.slice(0, closedAtOnce).map((close) => async () => deadline.aborted || close()),
  ];
  const failures = await forEachConcurrently(work, width, async (task) => void (await task()));
  if (unserved > 0) {
    throw new Error(`There was no time for ${unserved} connections; the events are tried again in halves`);
  }
  return { ended: closer.ended(), unforgotten: failures.length };
}

/** Closes connections and forgets them in the table; counts how many. */
function connectionCloser(sockets: Sockets, now: Date, deadline: AbortSignal) {
  let ended = 0;
  const forget = (actions: readonly Action[], { organization }: ConnectionTables) => {
    ended += 1;
    return organization.commit(actions);
  };
  const closed = (connectionId: string) => sockets.close(connectionId, deadline).catch(() => 'failed');

  async function forgetGone(connection: SocketConnection, tables: ConnectionTables): Promise<void> {
    // If it were forgotten now, a connection that is still opening would never get an event.
    if (!isOpening(connection, now)) {
      await forget(closingActions(tables, connection), tables);
    }
  }

  return {
    ended: () => ended,
    forgetGone,

    /** Forgets the connection, whether or not it can be closed now. */
    async close(connection: SocketConnection, tables: ConnectionTables): Promise<void> {
      const outcome = await closed(connection.connectionId);
      if (outcome === 'gone') {
        return forgetGone(connection, tables);
      }
      // A client whose connection stays open would wait for events that do not come.
      const later = outcome === 'failed' ? [unclosedAction(tables, connection)] : [];
      await forget([...closingActions(tables, connection), ...later], tables);
    },

    /** Closes one that could not be closed before. */
    async closeAtLast(connection: UnclosedConnection, tables: ConnectionTables): Promise<void> {
      const outcome = await closed(connection.connectionId);
      if (outcome === 'closed' || (outcome === 'gone' && !isOpening(connection, now))) {
        await forget([tables.organization.delete(unclosedConnectionKey(connection.connectionId))], tables);
      }
    },
  };
}

/** The first of each list, then the second of each, and so on. */
function inTurn<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}
