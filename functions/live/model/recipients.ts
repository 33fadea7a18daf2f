import type { StoredEvent } from '../../../shared/live/outbox.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import { userChangesIn, userChangesKey } from '../../../shared/organizations/user-change-count.ts';
import { joined } from '../../../shared/table/key.ts';
import { readAll } from '../../../shared/table/read-all.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import type { KnownUser } from './audience.ts';
import {
  type ConnectionTables,
  connectionHolderKey,
  connectionRange,
  type SocketConnection,
  type UnclosedConnection,
  userConnectionRange,
} from './connection.ts';
import { isAbout } from './event-log.ts';
import { knownUsers } from './known-users.ts';

/** Who may get some events of one organization. */
export interface Recipients {
  readonly connections: readonly SocketConnection[];
  /** Users, among them those of all connections that there still are. */
  readonly users: readonly KnownUser[];
  /** Ids of events that happened before a connection, for those opened only just before the events. */
  readonly precededBy: ReadonlyMap<string, readonly string[]>;
  readonly unclosed: readonly UnclosedConnection[];
}

const nobody: Recipients = { connections: [], users: [], precededBy: new Map(), unclosed: [] };

/**
 * Reads who may get these events. The first read is strongly consistent: a client is promised every event from the moment when its
 * connection is open. If it finds nobody, it is the only one; nothing that a process has cached could replace it, because a client
 * may have connected elsewhere since.
 */
export async function recipientsOf(
  events: readonly StoredEvent[],
  { organization, identity }: ConnectionTables,
  now: Date,
): Promise<Recipients> {
  const userId = onlyUserOf(events);
  const rows: readonly Stored<SocketConnection | UnclosedConnection>[] = await organization.list(
    userId === undefined ? connectionRange() : userConnectionRange(userId),
  );
  const of = <Data>(kind: string) =>
    rows.filter(({ key }) => key.sort[0] === kind).map(({ data }) => data as Data);
  const connections = of<SocketConnection>('CONNECTION');
  const unclosed = of<UnclosedConnection>('UNCLOSED');
  if (connections.length === 0) {
    return { ...nobody, unclosed };
  }
  const changes = rows.find(({ key }) => joined(key.sort) === joined(userChangesKey().sort));
  const wanted = new Set(connections.map((connection) => connection.userId));
  const [users, precededBy] = await Promise.all([
    userId === undefined
      ? knownUsers(organization, userChangesIn(changes), wanted, now)
      : organization.read(userKey(userId)).then((user) => (user === undefined ? [] : [user.data])),
    eventsBefore(connections, events, identity),
  ]);
  return { connections, users, precededBy, unclosed };
}

/** The only user that any of these events is for; undefined if others may get one, too. */
function onlyUserOf(events: readonly StoredEvent[]): string | undefined {
  const [first, ...others] = new Set(
    events.map(({ audience }) => (audience.kind === 'user' ? audience.userId : undefined)),
  );
  return others.length === 0 ? first : undefined;
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
