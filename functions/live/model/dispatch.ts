import { forEachConcurrently } from '../../../shared/kernel/for-each-concurrently.ts';
import type { Sockets } from '../../../shared/live/sockets.ts';
import type { Step } from '../../../shared/table/table.ts';
import type { SocketConnection, UnclosedConnection } from './connection.ts';
import {
  type ConnectionTables,
  closingSteps,
  isOpening,
  unclosedConnectionKey,
  unclosedStep,
} from './connection.ts';
import type { ConnectionFrames, Deliveries } from './deliveries.ts';

/** What is due in one organization. */
export interface Due extends Deliveries {
  readonly tables: ConnectionTables;
  readonly unclosed: readonly UnclosedConnection[];
}

/** Connections served at the same time: as many as the client of the management API has sockets. */
const width = 50;

/**
 * Sends all frames, and closes connections that have expired or cannot be served. A connection gets its frames one after the
 * other, and none after a failure, so that they arrive in order; connections do not wait for each other. One that cannot be served
 * in time is closed and forgotten: its client connects again and resumes, whereas another try of all events would repeat them to
 * everybody else. A connection that the table cannot forget now is found again with the next events.
 * @returns how many connections were closed or forgotten, and of how many the table could not be told.
 */
export async function dispatch(
  due: readonly Due[],
  sockets: Sockets,
  now: Date,
  deadline: AbortSignal,
): Promise<{ ended: number; unforgotten: number }> {
  let ended = 0;
  const forget = (steps: readonly Step[], { organization }: ConnectionTables) => {
    ended += 1;
    return organization.commit(steps);
  };

  async function serve({ connection, frames }: ConnectionFrames, tables: ConnectionTables): Promise<void> {
    for (const frame of frames) {
      const outcome = await sockets.send(connection.connectionId, frame, deadline).catch(() => 'failed');
      if (outcome === 'failed') {
        return end(connection, tables);
      }
      if (outcome === 'gone') {
        return forgetGone(connection, tables);
      }
    }
  }

  /** Forgets the connection, whether or not it can be closed now. */
  async function end(connection: SocketConnection, tables: ConnectionTables): Promise<void> {
    const outcome = await sockets.close(connection.connectionId, deadline).catch(() => 'failed');
    if (outcome === 'gone') {
      return forgetGone(connection, tables);
    }
    // A client whose connection stays open would wait for events that do not come.
    const later = outcome === 'failed' ? [unclosedStep(tables, connection)] : [];
    await forget([...closingSteps(tables, connection), ...later], tables);
  }

  async function forgetGone(connection: SocketConnection, tables: ConnectionTables): Promise<void> {
    // If it were forgotten now, a connection that is still opening would never get an event.
    if (!isOpening(connection, now)) {
      await forget(closingSteps(tables, connection), tables);
    }
  }

  async function closeAtLast(connection: UnclosedConnection, tables: ConnectionTables): Promise<void> {
    const outcome = await sockets.close(connection.connectionId, deadline).catch(() => 'failed');
    if (outcome === 'closed' || (outcome === 'gone' && !isOpening(connection, now))) {
      await forget([tables.organization.delete(unclosedConnectionKey(connection.connectionId))], tables);
    }
  }

  const work = [
    ...due.flatMap(({ deliveries, tables }) => deliveries.map((one) => () => serve(one, tables))),
    ...due.flatMap(({ expired, tables }) => expired.map((one) => () => end(one, tables))),
    ...due.flatMap(({ unclosed, tables }) => unclosed.map((one) => () => closeAtLast(one, tables))),
  ];
  const failures = await forEachConcurrently(work, width, (task) => task());
  return { ended, unforgotten: failures.length };
}
