import type { User } from '../organizations/user.ts';
import { shownTo, watcherOf } from './audience.ts';
import { isTrusted } from './connection.ts';
import type { SocketConnection, StoredEvent } from './event.ts';
import { frameOf } from './outbox.ts';

/** What one connection gets, in order. */
export interface Parcel {
  readonly connection: SocketConnection;
  readonly frames: readonly string[];
}

export interface Deliveries {
  readonly parcels: readonly Parcel[];
  /** Connections that may be told nothing any more: their trust has ended, or their user is disabled or gone. */
  readonly distrusted: readonly SocketConnection[];
}

/** Who receives what of these events: all of one organization, in the order in which they happened. */
export function deliveries(
  events: readonly StoredEvent[],
  connections: readonly SocketConnection[],
  users: readonly User[],
  now: Date,
): Deliveries {
  const framesByUser = new Map(
    [...new Set(connections.map(({ userId }) => userId))].map((userId) => [
      userId,
      framesFor(userId, events, users),
    ]),
  );
  const parcels: Parcel[] = [];
  const distrusted: SocketConnection[] = [];
  for (const connection of connections) {
    const frames = framesByUser.get(connection.userId);
    if (frames === undefined || !isTrusted(connection, now)) {
      distrusted.push(connection);
    } else if (frames.length > 0) {
      parcels.push({ connection, frames });
    }
  }
  return { parcels, distrusted };
}

/** The frames for a user; undefined for one who may not watch. */
function framesFor(
  userId: string,
  events: readonly StoredEvent[],
  users: readonly User[],
): string[] | undefined {
  const watcher = watcherOf(userId, users);
  return (
    watcher &&
    events
      .map((event) => shownTo(watcher, event))
      .filter((shown) => shown !== undefined)
      .map(frameOf)
  );
}
