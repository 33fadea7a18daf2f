import type { StoredEvent } from '../../../shared/live/outbox.ts';
import { frameOf } from '../../../shared/live/outbox.ts';
import { eventFor, type KnownUser, subscriberOf } from './audience.ts';
import type { SocketConnection } from './connection.ts';
import { isCurrent, isInSession } from './connection.ts';
import { settledBefore } from './event-log.ts';
import type { Recipients } from './recipients.ts';

/** The frames for one connection, in order. */
export interface ConnectionFrames {
  readonly connection: SocketConnection;
  readonly frames: readonly string[];
}

export interface Deliveries {
  readonly deliveries: readonly ConnectionFrames[];
  /** Connections whose token has expired, whose session has ended, or whose user is disabled or gone, or has too many. */
  readonly expired: readonly SocketConnection[];
}

/**
 * Connections that a user may have: more than anybody has tabs and devices, and few enough that one user cannot make each event be posted
 * thousands of times, for which everybody else would wait.
 */
const connectionsOfUser = 100;

/** The frames of these events of one organization, given in order, for each connection. */
export function deliveries(
  events: readonly StoredEvent[],
  { connections, users, precededBy }: Pick<Recipients, 'connections' | 'users' | 'precededBy'>,
  now: Date,
): Deliveries {
  const eventsByUser = new Map(
    [...new Set(connections.map(({ userId }) => userId))].map((userId) => [
      userId,
      eventsFor(userId, events, users),
    ]),
  );
  const ended = sessionsEndedBy(events);
  const surplus = surplusAmong(connections);
  const deliveries: ConnectionFrames[] = [];
  const expired: SocketConnection[] = [];
  for (const connection of connections) {
    const { userId, sessionId } = connection;
    const shown = eventsByUser.get(userId);
    const user = users.find(({ _id }) => _id === userId);
    if (sessionId !== undefined && ended.has(sessionId)) {
      expired.unshift(connection); // First: only these events tell of it, and not all may be closed now.
      continue;
    }
    if (
      shown === undefined ||
      surplus.has(connection) ||
      !isCurrent(connection, now) ||
      !isInSession(connection, user)
    ) {
      expired.push(connection);
      continue;
    }
    const before = settledBefore(new Date(connection.connectedAt));
    const known = precededBy.get(connection.connectionId);
    const frames = shown
      .filter(({ id, at }) => new Date(at) >= before && !known?.includes(id))
      .map(({ frame }) => frame);
    if (frames.length > 0) {
      deliveries.push({ connection, frames });
    }
  }
  return { deliveries, expired };
}

/** The oldest connections of users who have too many. */
function surplusAmong(connections: readonly SocketConnection[]): ReadonlySet<SocketConnection> {
  const surplus = new Set<SocketConnection>();
  for (const own of Map.groupBy(connections, ({ userId }) => userId).values()) {
    const newestFirst = own.toSorted((a, b) => (a.connectedAt < b.connectedAt ? 1 : -1));
    for (const connection of newestFirst.slice(connectionsOfUser)) {
      surplus.add(connection);
    }
  }
  return surplus;
}

/** The single sessions that these events say have ended. What ended all sessions of a user is in the user's record. */
function sessionsEndedBy(events: readonly StoredEvent[]): ReadonlySet<unknown> {
  return new Set(events.flatMap(({ event, data }) => (event === 'sessions_ended' ? [data.sessionId] : [])));
}

/** The events that a user gets, as frames; undefined if the user is disabled or gone. */
function eventsFor(userId: string, events: readonly StoredEvent[], users: readonly KnownUser[]) {
  const subscriber = subscriberOf(userId, users);
  return (
    subscriber &&
    events
      .map((event) => eventFor(subscriber, event))
      .filter((shown) => shown !== undefined)
      .map((shown) => ({ id: shown.id, at: shown.at, frame: frameOf(shown) }))
  );
}
