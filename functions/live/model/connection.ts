import type { SocketClaims } from '../../../shared/auth/tokens.ts';
import { after, hour, minute, second, type Timestamp, timestamp } from '../../../shared/kernel/time.ts';
import type { IdentityKey, Key, Range } from '../../../shared/table/key.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';

/** An open connection of a user, valid until `expiresAt`, which `authenticate` extends. */
export interface SocketConnection {
  connectionId: string;
  organizationId: string;
  userId: string;
  connectedAt: Timestamp;
  expiresAt: Timestamp;
  /**
   * Ids of events just before the connection. The stream may still deliver them, but not to this connection: a client that missed
   * them sends `resume` and gets them in order.
   */
  precededBy: string[];
}

/** API Gateway ends every connection after 2 hours; its records last a little longer, in case `$disconnect` gets lost. */
const longestLife = 2 * hour + 10 * minute;

/** A connection is written before its handshake ends, so sending to it may fail until then. */
const longestHandshake = 10 * second;

/** The tables that hold a connection: by organization, and by its id alone. */
export interface ConnectionTables {
  readonly organization: TableWriter;
  readonly identity: TableWriter<'identity'>;
}

/** A connection with verified claims, opened after these events. */
export function newConnection(
  connectionId: string,
  claims: SocketClaims,
  precededBy: string[],
  now: Date,
): SocketConnection {
  const { organizationId, userId } = claims;
  return {
    connectionId,
    organizationId,
    userId,
    connectedAt: timestamp(now),
    expiresAt: trustEnd(claims),
    precededBy,
  };
}

/** The connection with a fresh token of the same user. An older token never shortens it. */
export function prolonged(connection: SocketConnection, claims: SocketClaims): SocketConnection {
  const expiresAt = trustEnd(claims);
  return expiresAt > connection.expiresAt ? { ...connection, expiresAt } : connection;
}

export function isCurrent({ expiresAt }: SocketConnection, now: Date): boolean {
  return expiresAt > timestamp(now);
}

/** Whether the connection may still be in its handshake; if so, a failed send does not mean that it is gone. */
export function isOpening({ connectedAt }: SocketConnection, now: Date): boolean {
  return timestamp(after(now, -longestHandshake)) < connectedAt;
}

/** When the database may delete a connection's records. */
export function recordsExpireAt({ connectedAt }: SocketConnection): Date {
  return after(new Date(connectedAt), longestLife);
}

export function openingSteps(
  { organization, identity }: ConnectionTables,
  connection: SocketConnection,
): Step[] {
  const { connectionId, organizationId, userId } = connection;
  const expiresAt = recordsExpireAt(connection);
  return [
    organization.add(connectionKey(connectionId), connection, { expiresAt }),
    identity.add(connectionOrganizationKey(connectionId), { organizationId, userId }, { expiresAt }),
  ];
}

export function closingSteps({ organization, identity }: ConnectionTables, connectionId: string): Step[] {
  return [
    organization.delete(connectionKey(connectionId)),
    identity.delete(connectionOrganizationKey(connectionId)),
  ];
}

function trustEnd({ trustedUntil }: SocketClaims): Timestamp {
  return timestamp(new Date(trustedUntil * second));
}

export const connectionKey = (id: string): Key<SocketConnection> => ({
  partition: ['CONNECTIONS'],
  sort: ['CONNECTION', id],
});

export const connectionRange = (): Range<SocketConnection> => ({
  partition: ['CONNECTIONS'],
  under: ['CONNECTION'],
});

/** The organization of a connection, because a disconnect names only the connection. */
export const connectionOrganizationKey = (
  id: string,
): IdentityKey<{ organizationId: string; userId: string }> => ({
  partition: ['CONNECTION', id],
  sort: ['CONNECTION'],
});
