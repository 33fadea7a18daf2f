import type { IncomingMessage } from 'node:http';

/** Whether this is the preflight request of a browser. */
export function isPreflight(request: IncomingMessage): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
}

/**
 * The CORS headers of a response. A page of any origin may use the store with a signature: there are no cookies, so an origin by itself has
 * no rights. The headers are those of the bucket in `infra/stacks/stateful-stack.ts`; a test compares the two.
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
