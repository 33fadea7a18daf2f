import https from 'node:https';

export interface FormPost {
  readonly url: URL;
  readonly user: string;
  readonly password: string;
  readonly form: URLSearchParams;
  readonly limits: PostLimits;
}

/** Milliseconds. */
export interface PostLimits {
  /** Until the connection is open. */
  readonly connection: number;
  /** Until the response is complete, connecting included. */
  readonly response: number;
}

export interface PostResponse {
  readonly status: number;
  readonly text: string;
}

/**
 * Posts a form once, over a new connection. A kept connection may break unnoticed while a function is frozen, and then nobody
 * knows whether the request arrived. Not with `fetch`, which takes 20 ms to load.
 * @throws when there is no complete response in time.
 */
export async function postForm({ url, user, password, form, limits }: FormPost): Promise<PostResponse> {
  // Loading `node:http` loads `fetch` too.
  const { request } = url.protocol === 'http:' ? await import('node:http') : https;
  const body = Buffer.from(form.toString());
  const { promise, resolve, reject } = Promise.withResolvers<PostResponse>();
  const sent = request(url, {
    method: 'POST',
    auth: `${user}:${password}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length },
    agent: false,
    signal: AbortSignal.timeout(limits.response),
  });
  const unconnected = setTimeout(
    () => sent.destroy(new Error(`No connection within ${limits.connection} ms`)),
    limits.connection,
  );
  const connected = url.protocol === 'http:' ? 'connect' : 'secureConnect';
  sent.on('socket', (socket) => socket.once(connected, () => clearTimeout(unconnected)));
  sent.on('close', () => clearTimeout(unconnected));
  sent.on('error', reject);
  sent.on('response', (response) => {
    response
      .toArray()
      .then(
        (chunks) => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        reject,
      );
  });
  sent.end(body);
  return promise;
}
