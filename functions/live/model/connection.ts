import type { Subscription } from '../../../shared/events/webhook-endpoint.ts';
import type { SocketClaims, SocketKey } from '../../../shared/kernel/auth/tokens.ts';
import { after, hour, minute, second, type Timestamp, timestamp } from '../../../shared/kernel/time.ts';
import { admits, type SessionRule } from '../../../shared/organizations/session.ts';
import type { IdentityKey, Key, Range } from '../../../shared/table/key.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';

/** An open connection of a user, valid until `expiresAt`, which `authenticate` extends. */
export interface SocketConnection {
  connectionId: string;
  organizationId: string;
  userId: string;
  /** The session of its token; absent with an API key, and in connections of older versions. */
  sessionId?: string;
  /** The API key of its token; absent with a session. */
  key?: SocketKey;
  connectedAt: Timestamp;
  expiresAt: Timestamp;
}

/** A connection as its id alone finds it, because a disconnect names nothing else. */
export interface ConnectionHolder {
  organizationId: string;
  userId: string;
  /** The API key of the connection, if it has one. */
  keyId?: string;
  /**
   * Ids of events just before the connection. The stream may still deliver them, but not to this connection: a client that missed
   * them sends `resume` and gets them in order. They are here so that what delivers events to all connections need not read them.
   */
  precededBy: readonly string[];
}

/** A connection that is not served any more, and could not be closed yet. */
export type UnclosedConnection = Pick<SocketConnection, 'connectionId' | 'connectedAt'>;

/** When all connections of an organization were told to load everything again. */
export interface Resynced {
  at: Timestamp;
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

/** A connection with verified claims. */
export function newConnection(connectionId: string, claims: SocketClaims, now: Date): SocketConnection {
  const { organizationId, userId } = claims;
  return {
    connectionId,
    organizationId,
    userId,
    ...proofOf(claims),
    connectedAt: timestamp(now),
    expiresAt: trustEnd(claims),
  };
}

/** The connection with a fresh token of the same user, in the token's session. An older token never shortens it. */
export function extended(connection: SocketConnection, claims: SocketClaims): SocketConnection {
  const expiresAt = trustEnd(claims);
  return { ...connection, ...proofOf(claims), ...(expiresAt > connection.expiresAt && { expiresAt }) };
}

/** What keeps a connection open: a session or an API key. */
function proofOf({ sessionId, key }: SocketClaims): Pick<SocketConnection, 'sessionId' | 'key'> {
  return { ...(sessionId !== undefined && { sessionId }), ...(key && { key }) };
}

/** Whether the session of the connection is still open, as far as the user's record tells. */
export function isInSession({ sessionId }: SocketConnection, user: SessionRule | undefined): boolean {
  return sessionId === undefined ? user?.disabled === false : admits(user, sessionId);
}

/** Whether the connection has not expired. */
export function isCurrent({ expiresAt }: SocketConnection, now: Date): boolean {
  return expiresAt > timestamp(now);
}

/** Whether the connection may still be in its handshake; if so, a failed send does not mean that it is gone. */
export function isOpening({ connectedAt }: UnclosedConnection, now: Date): boolean {
  return timestamp(after(now, -longestHandshake)) < connectedAt;
}

/** When the database may delete a connection's records. */
export function recordsExpireAt({ connectedAt }: UnclosedConnection): Date {
  return after(new Date(connectedAt), longestLife);
}

/** The actions that write a connection, opened after these events. */
export function openingActions(
  { organization, identity }: ConnectionTables,
  connection: SocketConnection,
  precededBy: readonly string[],
): Action[] {
  const { connectionId, organizationId, userId, key } = connection;
  const expiresAt = recordsExpireAt(connection);
  const holder: ConnectionHolder = { organizationId, userId, ...(key && { keyId: key.id }), precededBy };
  return [
    organization.add(connectionKey(userId, connectionId), connection, { expiresAt }),
    identity.add(connectionHolderKey(connectionId), holder, { expiresAt }),
  ];
}

/** The actions that forget a connection. */
export function closingActions(
  { organization, identity }: ConnectionTables,
  { userId, connectionId }: Pick<SocketConnection, 'userId' | 'connectionId'>,
): Action[] {
  return [
    organization.delete(connectionKey(userId, connectionId)),
    identity.delete(connectionHolderKey(connectionId)),
  ];
}

/** The action that remembers a connection which is forgotten otherwise, to close it later. */
export function unclosedAction(
  { organization }: ConnectionTables,
  { connectionId, connectedAt }: SocketConnection,
): Action {
  const unclosed: UnclosedConnection = { connectionId, connectedAt };
  return organization.put(unclosedConnectionKey(connectionId), unclosed, {
    expiresAt: recordsExpireAt(unclosed),
  });
}

/** The action that notes that all connections were told to load everything again. */
export function resyncedAction(organization: TableWriter, now: Date): Action {
  return organization.put(resyncedKey(), { at: timestamp(now) }, { expiresAt: after(now, hour) });
}

function trustEnd({ trustedUntil }: SocketClaims): Timestamp {
  return timestamp(new Date(trustedUntil * second));
}

export const connectionKey = (userId: string, id: string): Key<SocketConnection> => ({
  partition: ['CONNECTIONS'],
  sort: ['CONNECTION', userId, id],
});

export const userConnectionRange = (userId: string): Range<SocketConnection> => ({
  partition: ['CONNECTIONS'],
  under: ['CONNECTION', userId],
});

export const unclosedConnectionKey = (id: string): Key<UnclosedConnection> => ({
  partition: ['CONNECTIONS'],
  sort: ['UNCLOSED', id],
});

export const resyncedKey = (): Key<Resynced> => ({ partition: ['CONNECTIONS'], sort: ['RESYNCED'] });

/**
 * All connections of an organization, also those to be closed, when they were last told to load everything again, and its active webhook
 * endpoints: one read for them all.
 */
export const connectionRange = (): Range<
  SocketConnection | UnclosedConnection | Resynced | Subscription
> => ({
  partition: ['CONNECTIONS'],
});

export const connectionHolderKey = (id: string): IdentityKey<ConnectionHolder> => ({
  partition: ['CONNECTION', id],
  sort: ['CONNECTION'],
});
