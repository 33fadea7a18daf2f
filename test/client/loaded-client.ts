import { setImmediate } from 'node:timers/promises';
import type { ClientOptions } from '../../infra/client/runtime/types.ts';
import type { Json } from '../harness/json.ts';
import type { User } from '../live/live-host.ts';

/** Without the types of its methods: `served-client.ts` is compiled with those. */
export type LoadedClient = Json;

export interface ClientModule {
  createClient(options: ClientOptions): LoadedClient;
  verifyWebhook(request: object): Promise<Json>;
  readonly ApiError: new () => Error;
  readonly WebhookVerificationError: new () => Error;
  readonly version: string;
}

/** The client as this host serves it. */
export async function loadClient(url: string): Promise<ClientModule> {
  const text = await (await fetch(`${url}/api/client.js`)).text();
  return import(`data:text/javascript,${encodeURIComponent(text)}`);
}

/**
 * How a client of the tests lets time pass: a pause between two attempts is over at once, and one between two pings when the connection
 * is, but for the first `pings`.
 */
export function hurriedWait(pings = 0): NonNullable<ClientOptions['wait']> {
  let left = pings;
  return (milliseconds, signal) => {
    if (milliseconds < 60_000 || left > 0) {
      left -= milliseconds < 60_000 ? 0 : 1;
      return setImmediate();
    }
    return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
  };
}

/** A client of a user whom the host knows, which loses no time between attempts. */
export const clientFor = (
  { createClient }: ClientModule,
  { url }: { url: string },
  { token, refreshToken }: User,
  options: Partial<ClientOptions> = {},
) => createClient({ baseUrl: url, session: { token, refreshToken }, wait: hurriedWait(), ...options });
