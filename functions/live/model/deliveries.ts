import type { SocketConnection, StoredEvent } from '../../../shared/live/event.ts';
import { frameOf } from '../../../shared/live/outbox.ts';
import type { User } from '../../../shared/organizations/user.ts';
import { type Shown, shownTo, watcherOf } from './audience.ts';
import { isTrusted } from './connection.ts';

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
  const shownByUser = new Map(
    [...new Set(connections.map(({ userId }) => userId))].map((userId) => [
      userId,
      eventsFor(userId, events, users),
    ]),
  );
  const parcels: Parcel[] = [];
  const distrusted: SocketConnection[] = [];
  for (const connection of connections) {
    const shown = shownByUser.get(connection.userId);
    if (shown === undefined || !isTrusted(connection, now)) {
      distrusted.push(connection);
      continue;
    }
    const frames = shown.filter(({ id }) => !connection.precededBy.includes(id)).map(frameOf);
    if (frames.length > 0) {
      parcels.push({ connection, frames });
    }
  }
  return { parcels, distrusted };
}

/** What a user is told of the events; undefined for one who may not watch. */
function eventsFor(
  userId: string,
  events: readonly StoredEvent[],
  users: readonly User[],
): Shown[] | undefined {
  const watcher = watcherOf(userId, users);
  return watcher && events.map((event) => shownTo(watcher, event)).filter((shown) => shown !== undefined);
}
