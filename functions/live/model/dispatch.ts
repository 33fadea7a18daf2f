import { forEachConcurrently } from '../../../shared/kernel/for-each-concurrently.ts';
import type { Sockets } from '../../../shared/live/sockets.ts';
import type { SocketConnection } from './connection.ts';
import { type ConnectionTables, closingSteps, isOpening } from './connection.ts';
import type { ConnectionFrames, Deliveries } from './deliveries.ts';

/** Connections served at the same time. */
const width = 50;

/**
 * Sends all frames and closes expired connections. A connection gets its frames one after the other, and none after a failure, so
 * that they arrive in order; connections do not wait for each other.
 * @returns the errors of connections that could not be served.
 */
export async function dispatch(
  { deliveries, expired }: Deliveries,
  tables: ConnectionTables,
  sockets: Sockets,
  now: Date,
): Promise<unknown[]> {
  const forget = ({ connectionId }: SocketConnection) =>
    tables.organization.commit(closingSteps(tables, connectionId));

  async function send({ connection, frames }: ConnectionFrames): Promise<void> {
    for (const frame of frames) {
      if ((await sockets.send(connection.connectionId, frame)) === 'gone') {
        // If it were forgotten now, a connection that is still opening would never get an event.
        return isOpening(connection, now) ? undefined : forget(connection);
      }
    }
  }

  async function close(connection: SocketConnection): Promise<void> {
    await sockets.close(connection.connectionId);
    await forget(connection);
  }

  const work = [
    ...deliveries.map((delivery) => () => send(delivery)),
    ...expired.map((connection) => () => close(connection)),
  ];
  return forEachConcurrently(work, width, (task) => task());
}
