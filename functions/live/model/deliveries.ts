import { settledBefore } from '../../../shared/events/event-log.ts';
import { type StoredEvent, toFrame } from '../../../shared/events/outbox.ts';
import type { ApiKey } from '../../../shared/organizations/api-key.ts';
import { eventFor, type KnownUser, knownSubscriber } from './audience.ts';
import { isCurrent, isInSession, type SocketConnection } from './connection.ts';
import type { Recipients } from './recipients.ts';
import { isLive } from './socket-session.ts';

/** The frames for one connection, in order. */
export interface ConnectionFrames {
  readonly connection: SocketConnection;
  readonly frames: readonly string[];
}

export interface Deliveries {
  readonly deliveries: readonly ConnectionFrames[];
  /** Connections whose token has expired, whose session or API key has ended, or whose user is disabled or gone, or has too many. */
  readonly expired: readonly SocketConnection[];
}

/** Connections that a user may have: more than anybody has tabs and devices. */
const connectionsOfUser = 20;

/** Frames that are sent at once. Each connection may have its equal share of them, and in any case this many. */
const [framesAtOnce, framesOfConnection] = [2_000, 10];

interface Sending {
  /** Whether connections get the events, must load everything again instead, or have done so since. */
  readonly what: 'events' | 'resync' | 'nothing';
  /** The frame that tells a connection to load everything again. */
  readonly resyncFrame: string;
  /** Connections that an organization may have. */
  readonly connectionLimit: number;
}

/**
 * The frames of these events of one organization, given in order, for each connection. One that would get more than its share is told to
 * load everything again instead.
 */
export function deliveries(
  {
    events,
    connections,
    users,
    apiKeys,
    precededBy,
  }: Omit<Recipients, 'unclosed' | 'subscriptions' | 'resyncedAt'>,
  { what, resyncFrame, connectionLimit }: Sending,
  now: Date,
): Deliveries {
  const keyOf = ({ key }: SocketConnection) => apiKeys.find(({ _id }) => _id === key?.id);
  const eventsBySubscriber = new Map(
    [...Map.groupBy(connections, subscriberOf)].map(([subscriber, [first]]) => [
      subscriber,
      first && eventsFor(first.userId, keyOf(first), what === 'events' ? events : [], users),
    ]),
  );
  const ended = sessionsEndedBy(events);
  const surplus = surplusAmong(connections, connectionLimit);
  const deliveries: ConnectionFrames[] = [];
  const expired: SocketConnection[] = [];
  for (const connection of connections) {
    const { userId, sessionId } = connection;
    const shown = eventsBySubscriber.get(subscriberOf(connection));
    const user = users.find(({ _id }) => _id === userId);
    if (sessionId !== undefined && ended.has(sessionId)) {
      expired.unshift(connection); // First: only these events tell of it, and not all may be closed now.
      continue;
    }
    if (
      shown === undefined ||
      surplus.has(connection) ||
      !isCurrent(connection, now) ||
      !isInSession(connection, user) ||
      (connection.key !== undefined && !isLive(keyOf(connection), connection.key, now))
    ) {
      expired.push(connection);
      continue;
    }
    const before = settledBefore(new Date(connection.connectedAt));
    const known = precededBy.get(connection.connectionId);
    const frames = shown
      .filter(({ id, at }) => new Date(at) >= before && !known?.includes(id))
      .map(({ frame }) => frame);
    if (what === 'resync' || frames.length > 0) {
      deliveries.push({ connection, frames });
    }
  }
  const share = Math.max(framesOfConnection, framesAtOnce / deliveries.length);
  const isTooMuch = (frames: readonly string[]) => what === 'resync' || frames.length > share;
  return {
    deliveries: deliveries.map(({ connection, frames }) => ({
      connection,
      frames: isTooMuch(frames) ? [resyncFrame] : frames,
    })),
    expired,
  };
}

/**
 * The oldest connections of users who have too many. Of an organization that has too many, every user keeps the newest one before anybody
 * keeps a second.
 */
function surplusAmong(
  connections: readonly SocketConnection[],
  connectionLimit: number,
): ReadonlySet<SocketConnection> {
  const newestFirst = connections.toSorted((a, b) => (a.connectedAt < b.connectedAt ? 1 : -1));
  const ofUsers = [...Map.groupBy(newestFirst, ({ userId }) => userId).values()];
  const kept = inTurn(ofUsers.map((ofUser) => ofUser.slice(0, connectionsOfUser))).slice(0, connectionLimit);
  return new Set(connections).difference(new Set(kept));
}

/** The single sessions that these events say have ended. What ended all sessions of a user is in the user's record. */
function sessionsEndedBy(events: readonly StoredEvent[]): ReadonlySet<unknown> {
  return new Set(events.flatMap(({ event, data }) => (event === 'sessions_ended' ? [data.sessionId] : [])));
}

/** Connections of one user with the same API key, or without one, get the same events. */
const subscriberOf = ({ userId, key }: SocketConnection) => `${userId} ${key?.id ?? ''}`;

/** The events that a user gets, as frames; undefined if the user is disabled or gone. */
function eventsFor(
  userId: string,
  apiKey: ApiKey | undefined,
  events: readonly StoredEvent[],
  users: readonly KnownUser[],
) {
  const subscriber = knownSubscriber(userId, users, apiKey);
  return (
    subscriber &&
    events
      .filter(({ isQuiet }) => !isQuiet)
      .map((event) => eventFor(subscriber, event))
      .filter((shown) => shown !== undefined)
      .map((shown) => ({ id: shown.id, at: shown.at, frame: toFrame(shown) }))
  );
}

/** The first of each list, then the second of each, and so on. */
function inTurn<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}
