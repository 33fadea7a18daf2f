import { setTimeout as pause } from 'node:timers/promises';
import { call, callUntilAvailable, type Session } from '../api.ts';
import type { Receiver } from './receivers.ts';

/** The one event that the endpoints get. */
export const eventName = 'contact_created';

const credentials = { email: 'ada@example.com', password: 'correct horse battery' };

export function register(url: string): Promise<Session> {
  const body = { ...credentials, firstName: 'Ada', lastName: 'Lovelace', role: 'ADMIN' };
  return call<Session>(url, { method: 'POST', path: '/api/auth/register', body });
}

export function login(url: string): Promise<Session> {
  return callUntilAvailable<Session>(url, { method: 'POST', path: '/api/auth/login', body: credentials });
}

export const newContact = { method: 'POST', path: '/api/contacts/create', body: { firstName: 'Grace' } };

/** Registers an endpoint for a receiver. @returns its id. */
export async function registerEndpoint(
  url: string,
  token: string,
  receiver: Receiver,
  address: string,
): Promise<string> {
  const body = { url: `${address}${receiver.path}`, events: [eventName] };
  const created = await call<{ data: { _id: string }; secret: string }>(
    url,
    { method: 'POST', path: '/api/webhook-endpoints', body },
    token,
  );
  receiver.secret = created.secret;
  return created.data._id;
}

export interface JournalEvent {
  readonly id: string;
  readonly at: string;
  readonly data: unknown;
}

/**
 * What has happened since then, as the journal tells it, whatever endpoints got. A last contact is created, until which it is read: the
 * journal tells nothing before all that precedes it is settled.
 */
export async function readJournal(url: string, token: string, since: Date): Promise<JournalEvent[]> {
  const last = await call<{ data: { _id: string } }>(url, newContact, token);
  const events: JournalEvent[] = [];
  for (let place = `since=${encodeURIComponent(since.toISOString())}`; ; ) {
    const path = `/api/events?events=${eventName}&limit=100&${place}`;
    const page = await callUntilAvailable<{ data: JournalEvent[]; nextAfter: string; hasMore: boolean }>(
      url,
      { method: 'GET', path },
      token,
    );
    events.push(...page.data);
    if (page.data.some(({ data }) => JSON.stringify(data).includes(last.data._id))) {
      return events;
    }
    if (!page.hasMore) {
      await pause(500);
    }
    place = `after=${encodeURIComponent(page.nextAfter)}`;
  }
}

export interface LoggedDelivery {
  readonly eventId: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: readonly { readonly status?: number; readonly error?: string }[];
}

/** The delivery log of an endpoint. */
export async function readDeliveries(
  url: string,
  token: string,
  endpoint: string,
): Promise<LoggedDelivery[]> {
  const deliveries: LoggedDelivery[] = [];
  let cursor: string | null | undefined;
  do {
    const from = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const path = `/api/webhook-endpoints/${endpoint}/deliveries?limit=100${from}`;
    const page = await callUntilAvailable<{ data: LoggedDelivery[]; nextCursor?: string | null }>(
      url,
      { method: 'GET', path },
      token,
    );
    deliveries.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor);
  return deliveries;
}
