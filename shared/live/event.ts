import type { IdentityKey, Key, Range } from '../table/key.ts';
import type { Timestamp } from '../time.ts';
import type { EventData } from './schemas/event-schemas.ts';

/** The names of events. */
export type EventName = keyof EventData;

/** Users tied to a record as its creator, owner or assignees: what the visibility rule asks for. */
export type People = readonly string[];

/** Who may be told. */
export type Audience =
  | { readonly kind: 'record'; readonly people: People; readonly formerly?: People }
  | { readonly kind: 'user'; readonly userId: string }
  | { readonly kind: 'users'; readonly userIds: readonly string[] }
  | { readonly kind: 'organization' };

/** An event as written in the transaction of its cause, and as replayed by `resume`. */
export interface StoredEvent {
  id: string;
  event: EventName;
  at: Timestamp;
  data: Record<string, unknown>;
  audience: Audience;
}

/** An open connection of a user; trusted until `expiresAt` (ISO), which `authenticate` moves on. */
export interface SocketConnection {
  connectionId: string;
  organizationId: string;
  userId: string;
  connectedAt: Timestamp;
  expiresAt: Timestamp;
  /**
   * Ids of events that happened shortly before. The stream may yet tell of them, but they are not for this connection:
   * a client that has missed them resumes, and gets them in their order.
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

/** The organization of a connection: a disconnect names only the connection. */
export const connectionOrganizationKey = (
  id: string,
): IdentityKey<{ organizationId: string; userId: string }> => ({
  partition: ['CONNECTION', id],
  sort: ['CONNECTION'],
});
