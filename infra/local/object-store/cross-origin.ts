import type { IncomingMessage } from 'node:http';

/** Whether a browser only asks if it may send a request. */
export function isPreflight(request: IncomingMessage): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
}

/**
 * Any page may use the store with a signature: it holds no cookies, so an origin by itself has no rights here.
 * What a page may do is what the bucket of `infra/stateful-stack.ts` allows; a test holds the two against each other.
 */
export function corsHeaders(request: IncomingMessage): Array<[string, string]> {
  if (request.headers.origin === undefined) {
    return [];
  }
  const headers: Array<[string, string]> = [
    ['access-control-allow-origin', '*'],
    ['access-control-expose-headers', 'ETag, Location, Content-Range, Content-Disposition, x-amz-request-id'],
  ];
  if (isPreflight(request)) {
    headers.push(
      ['access-control-allow-methods', 'POST, GET, HEAD'],
      ['access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*'],
      ['access-control-max-age', '3600'],
    );
  }
  return headers;
}
