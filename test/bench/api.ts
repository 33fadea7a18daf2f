import { setTimeout as pause } from 'node:timers/promises';
import { usualPassword } from '../../infra/seed/seed.ts';

/** The response is an error, but another attempt may succeed. */
export class Unavailable extends Error {
  /** How long to wait before the next attempt. */
  readonly milliseconds: number;

  constructor(message: string, milliseconds: number) {
    super(message);
    this.milliseconds = milliseconds;
  }
}

/** Too many requests, or unavailable. */
const passing = [429, 503];

interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Calls an API. @returns the body of the response. @throws an `Error` with the response unless its status is 2xx. */
export async function call<Body>(url: string, request: ApiRequest, token?: string): Promise<Body> {
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
    const sentence = `${method} ${path} returned ${response.status}: ${text}`;
    const milliseconds = 1_000 * Number(response.headers.get('retry-after') ?? 1);
    throw passing.includes(response.status) ? new Unavailable(sentence, milliseconds) : new Error(sentence);
  }
  return JSON.parse(text) as Body;
}

/**
 * The same, but repeats a request that was throttled or found the API unavailable, for up to five minutes: whether a response is right
 * is another question.
 */
export async function callUntilAvailable<Body>(...wanted: Parameters<typeof call>): Promise<Body> {
  for (let end = performance.now() + 300_000; ; ) {
    try {
      return await call<Body>(...wanted);
    } catch (error) {
      if (!(error instanceof Unavailable) || performance.now() > end) {
        throw error;
      }
      await pause(error.milliseconds);
    }
  }
}

export interface Session {
  readonly token: string;
  readonly socketToken: string;
  readonly user: { readonly id: string; readonly organizationId: string };
}

export const adminEmail = 'admin@example.com';

/** Logs in as a user of the demo data. */
export function loggedIn(url: string, email = adminEmail): Promise<Session> {
  const body = { email, password: usualPassword };
  return call<Session>(url, { method: 'POST', path: '/api/auth/login', body });
}
