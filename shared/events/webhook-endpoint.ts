import type { StoredSecret } from '../kernel/secrets/sealed-secrets.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';
import type { EventName } from './outbox.ts';

/** An address outside to which events of the organization are posted. */
export interface WebhookEndpoint {
  _id: string;
  url: string;
  /** The names of the events that it gets; `*` for all. */
  events: readonly (EventName | '*')[];
  description: string | null;
  isActive: boolean;
  /** Why the service has switched it off; null if it has not. */
  disabledReason: 'gone' | 'failing' | null;
  createdBy: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** How often it has been switched on. A delivery belongs to one of these times, and has failed once it is over. */
  activation: number;
  /** The endpoints of one lane wait for each other. */
  lane: number;
  /** The newest first. All sign that have not ended. */
  secrets: readonly EndpointSecret[];
}

interface EndpointSecret {
  secret: StoredSecret;
  /** When it stops signing, once another one has replaced it. */
  until?: Timestamp;
}

/** All endpoints of the organization, also those that are off. */
export const endpointRange = (): Range<WebhookEndpoint> => ({ partition: ['WEBHOOKS'], under: ['ENDPOINT'] });

/** An active endpoint, as far as it decides who gets an event. */
export type Subscription = Pick<WebhookEndpoint, '_id' | 'events' | 'activation' | 'lane'>;

/** Whether the endpoint gets events of this name. */
export const subscribes = ({ events }: Pick<WebhookEndpoint, 'events'>, name: EventName): boolean =>
  events.some((event) => event === '*' || event === name);

/**
 * Among the connections of the organization: who delivers an event reads these anyway, and so an organization without endpoints pays
 * nothing for them, but half a read unit for an event that one user alone sees.
 */
export const subscriptionKey = (endpointId: string): Key<Subscription> => ({
  partition: ['CONNECTIONS'],
  sort: ['ENDPOINT', endpointId],
});

export const subscriptionRange = (): Range<Subscription> => ({
  partition: ['CONNECTIONS'],
  under: ['ENDPOINT'],
});
