import { ApiError } from './api-error.ts';
import { type Platform, sendRepeatedly } from './send.ts';
import type { SessionStore, StoredSession } from './types.ts';

/** Keeps a session in the `localStorage` of this origin, where every tab finds it. Any script of the origin can read it. */
export function keepInBrowser(name = 'switchboard.session'): SessionStore {
  return {
    get: () => JSON.parse(localStorage.getItem(name) ?? 'null'),
    set: (session) =>
      session ? localStorage.setItem(name, JSON.stringify(session)) : localStorage.removeItem(name),
  };
}

/** Keeps a session as long as the client lives. */
export function keepInMemory(session: StoredSession | null): SessionStore {
  let kept = session;
  return {
    get: () => kept,
    set: (next) => {
      kept = next;
    },
  };
}

export const isStore = (session: StoredSession | SessionStore): session is SessionStore => 'get' in session;

/** The end of the renewal before, for runtimes without locks. */
let renewals: Promise<unknown> = Promise.resolve();

/** Runs one renewal at a time: among tabs where the runtime has locks, else in this program alone. */
function lock<T>(renew: () => Promise<T>): Promise<T> {
  if (typeof navigator === 'object' && 'locks' in navigator) {
    return navigator.locks.request('switchboard-refresh', renew) as Promise<T>;
  }
  const renewal = renewals.then(renew);
  renewals = renewal.catch(() => undefined);
  return renewal;
}

/** Times, 100 milliseconds apart, to look for the tokens of another program that has just renewed the session. */
const looks = 50;

/**
 * The session that follows `used`: renewed here or, when somebody else was faster, by them; null when it has ended.
 * @throws ApiError when the service cannot tell now.
 */
export function renewSession(
  store: SessionStore,
  used: StoredSession,
  newKey: () => string,
  { baseUrl, ...platform }: Platform & { baseUrl: string },
): Promise<StoredSession | null> {
  const hasChanged = (session: StoredSession | null) => session?.refreshToken !== used.refreshToken;
  return lock(async () => {
    const session = await store.get();
    if (hasChanged(session)) {
      return session;
    }
    // With its key, a renewal whose response was lost gets the same tokens again for 10 seconds.
    const [method, url, key] = ['POST', `${baseUrl}/api/auth/refresh`, newKey()] as const;
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const body = JSON.stringify({ refreshToken: used.refreshToken });
    const outcome = await sendRepeatedly({ method, url, headers, body, repeatable: true }, platform);
    if (outcome.status === 200) {
      await store.set(outcome.body as StoredSession);
      return outcome.body as StoredSession;
    }
    if (outcome.status !== 401) {
      throw new ApiError({ method, url }, outcome);
    }
    // Superseded despite the lock: somebody without it has renewed the session, and is about to store the tokens.
    const isSuperseded = (outcome.body as { reason?: string }).reason === 'superseded';
    for (let look = 0; isSuperseded && look < looks; look += 1) {
      await platform.wait(100);
      const next = await store.get();
      if (hasChanged(next)) {
        return next;
      }
    }
    await store.set(null);
    return null;
  });
}
