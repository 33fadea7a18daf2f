import type { IdentityKey, Key, Range } from '../table/key.ts';
import type { Timestamp } from '../time.ts';
import type { EventData } from './schemas/event-schemas.ts';

export type EventName = keyof EventData;

/** The creator, owner and assignees of a record, for the visibility rule. */
export type People = readonly string[];

/** The users who may get an event. */
export type Audience =
  | { readonly kind: 'record'; readonly people: People; readonly formerly?: People }
  | { readonly kind: 'user'; readonly userId: string }
  | { readonly kind: 'users'; readonly userIds: readonly string[] }
  | { readonly kind: 'organization' };

/** An event as its cause's transaction writes it and `resume` replays it. */
export interface StoredEvent {
  id: string;
  event: EventName;
  at: Timestamp;
  data: Record<string, unknown>;
  audience: Audience;
}

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

export const eventKey = (hour: string, id: string): Key<StoredEvent> => ({
  partition: ['EVENTS', hour],
  sort: ['EVENT', id],
});

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
