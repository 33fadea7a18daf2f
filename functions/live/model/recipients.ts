import { isAbout } from '../../../shared/events/event-log.ts';
import { eventKeyFor, type StoredEvent } from '../../../shared/events/outbox.ts';
import { type Subscription, subscriptionRange } from '../../../shared/events/webhook-endpoint.ts';
import { type ApiKey, apiKeyKey } from '../../../shared/organizations/api-key.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import { readUsers } from '../../../shared/organizations/visibility.ts';
import { readAll } from '../../../shared/table/read-all.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import type { KnownUser } from './audience.ts';
import {
  type ConnectionTables,
  connectionHolderKey,
  connectionRange,
  type Resynced,
  type SocketConnection,
  type UnclosedConnection,
  userConnectionRange,
} from './connection.ts';
import type { EventsJob } from './live-job.ts';

/** Some events of one organization, and who may get them. */
export interface Recipients {
  /** The events that there still are; none if there is nobody who could get any. */
  readonly events: readonly StoredEvent[];
  readonly connections: readonly SocketConnection[];
  /** Users, among them those of all connections that there still are. */
  readonly users: readonly KnownUser[];
  /** The API keys of these connections that there still are. */
  readonly apiKeys: readonly ApiKey[];
  /** Ids of events that happened before a connection, for those opened only just before the events. */
  readonly precededBy: ReadonlyMap<string, readonly string[]>;
  readonly unclosed: readonly UnclosedConnection[];
  /** The active webhook endpoints. */
  readonly subscriptions: readonly Subscription[];
  /** When all connections were last told to load everything again, if that is known. */
  readonly resyncedAt: Date | undefined;
}

const nobody = { events: [], connections: [], users: [], apiKeys: [], precededBy: new Map() } as const;

/**
 * Reads who may get these events. The first read is strongly consistent: a client is promised every event from the moment when its
 * connection is open. If it finds nobody, it is the only one; nothing that a process has cached could replace it, because a client
 * may have connected elsewhere since.
 * @param everybody whether all connections are wanted, even if the events are for one user.
 */
export async function readRecipients(
  { eventIds, userId: onlyUser }: EventsJob,
  { organization, identity }: ConnectionTables,
  everybody: boolean,
): Promise<Recipients> {
  const userId = everybody ? undefined : onlyUser;
  const rows = await readRows(organization, userId);
  const of = <Data>(kind: string) =>
    rows.filter(({ key }) => key.sort[0] === kind).map(({ data }) => data as Data);
  const connections = of<SocketConnection>('CONNECTION');
  const unclosed = of<UnclosedConnection>('UNCLOSED');
  const subscriptions = of<Subscription>('ENDPOINT');
  const [resynced] = of<Resynced>('RESYNCED');
  const resyncedAt = resynced && new Date(resynced.at);
  const rest = { unclosed, subscriptions, resyncedAt };
  if (connections.length + subscriptions.length === 0) {
    return { ...nobody, ...rest };
  }
  const events = readEvents(eventIds, organization);
  if (connections.length === 0) {
    return { ...nobody, ...rest, events: await events };
  }
  const [users, apiKeys, precededBy] = await Promise.all([
    userId === undefined
      ? readUsers(organization)
      : organization.read(userKey(userId)).then((user) => (user === undefined ? [] : [user.data])),
    readApiKeys(connections, organization),
    events.then((known) => eventsBefore(connections, known, identity)),
  ]);
  return { events: await events, connections, users, apiKeys, precededBy, ...rest };
}

type Row = Stored<SocketConnection | UnclosedConnection | Resynced | Subscription>;

/** Who may get events: all connections and endpoints, or the connections of one user with the endpoints, which see every event. */
async function readRows(organization: TableReader, userId: string | undefined): Promise<readonly Row[]> {
  if (userId === undefined) {
    return organization.list(connectionRange());
  }
  const [connections, endpoints] = await Promise.all([
    organization.list(userConnectionRange(userId)),
    organization.list(subscriptionRange(), { consistent: false }),
  ]);
  return [...connections, ...endpoints];
}

/** The API keys of connections; nothing is read where no connection has one. */
async function readApiKeys(
  connections: readonly SocketConnection[],
  organization: TableReader,
): Promise<ApiKey[]> {
  const ids = new Set(connections.flatMap(({ key }) => key?.id ?? []));
  const found = await readAll(organization, [...ids].map(apiKeyKey));
  return found.flatMap((stored) => stored?.data ?? []);
}

/** The events, in order, without events that have been erased since. */
async function readEvents(ids: readonly string[], organization: TableReader): Promise<StoredEvent[]> {
  const stored = await readAll(organization, ids.map(eventKeyFor));
  return stored.flatMap((event) => (event === undefined ? [] : [event.data]));
}

/** The ids of events that happened before a connection, for connections that may be younger than one of these events. */
async function eventsBefore(
  connections: readonly SocketConnection[],
  events: readonly StoredEvent[],
  identity: TableReader<'identity'>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const young = connections
    .filter(({ connectedAt }) => events.some((event) => isAbout(event, new Date(connectedAt))))
    .map(({ connectionId }) => connectionId);
  const holders = await readAll(identity, young.map(connectionHolderKey));
  return new Map(
    holders.map((holder, index) => [young[index] ?? '', holder?.data.precededBy ?? []] as const),
  );
}
