import { setTimeout as pause } from 'node:timers/promises';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import type { Served } from './processes.ts';

/** One of those who race: a running service with its database. */
export interface Contestant {
  readonly name: string;
  /** Of its HTTP API. */
  url(): string;
  /** Its processes, as they are now. */
  processes(): Served;
  /** An access token of the organization that has the contacts, or of the one that has none. */
  readonly tokens: { readonly full: string; readonly empty: string };
  /** Fills the organization. Called once, before the race. */
  load(contacts: readonly StoredContact[]): Promise<void>;
  /** Ends it and its database, and starts both anew over the same data: then nothing is kept in memory. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The response is an error that another attempt may not get. */
export class Unavailable extends Error {}

/** Calls the API of a contestant; the body of the response. @throws an `Error` with the response unless it has a status of success. */
export async function call<Body>(
  url: string,
  request: { readonly method: string; readonly path: string; readonly body?: unknown },
  token?: string,
): Promise<Body> {
  const { method, path, body } = request;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) {
    const sentence = `${method} ${path} answered ${response.status}: ${text}`;
    throw response.status === 503 ? new Unavailable(sentence) : new Error(sentence);
  }
  return JSON.parse(text) as Body;
}

/** The same; asks again while the contestant is not available, for five minutes: whether an answer is right is another question. */
export async function callUntilAvailable<Body>(...wanted: Parameters<typeof call>): Promise<Body> {
  for (let end = performance.now() + 300_000; ; ) {
    try {
      return await call<Body>(...wanted);
    } catch (error) {
      if (!(error instanceof Unavailable) || performance.now() > end) {
        throw error;
      }
      await pause(1_000);
    }
  }
}
