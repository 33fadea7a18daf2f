const api = 'https://api.example.com';

/** Stores the response of login, register or refresh for every tab of this origin. */
export const keep = (response) => localStorage.setItem('session', JSON.stringify(response));

/** The stored session. Throws when nobody is logged in. */
export function session() {
  const kept = localStorage.getItem('session');
  if (kept === null) {
    throw new Error('Log in first.');
  }
  return JSON.parse(kept);
}

/** Sends a request with the access token of the session. If the token is refused, renews the session once. */
export async function call(path, init = {}) {
  const send = ({ token }) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(api + path, { ...init, headers });
  };
  const used = session();
  const response = await send(used);
  return response.status === 401 ? send(await renewed(used)) : response;
}

/** The session that follows `used`: renewed by this tab or, when another tab was faster, by that one. */
export function renewed(used) {
  const { refreshToken } = used;
  return navigator.locks.request('switchboard-refresh', async () => {
    if (session().refreshToken !== refreshToken) {
      return session();
    }

    const body = JSON.stringify({ refreshToken });
    const response = await fetch(`${api}/api/auth/refresh`, { method: 'POST', body });
    if (response.ok) {
      keep(await response.json());
      return session();
    }
    if (response.status !== 401) {
      throw new Error('Try again later.');
    }

    // Superseded despite the lock: other code of this origin has refreshed without it, and is about to store its tokens.
    const { reason } = await response.json();
    for (let tries = 0; reason === 'superseded' && tries < 50; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (session().refreshToken !== refreshToken) {
        return session();
      }
    }
    localStorage.removeItem('session');
    throw new Error('Log in again.');
  });
}
