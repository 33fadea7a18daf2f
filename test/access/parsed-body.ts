import { loadOperations, ofKind } from '../../infra/registry.ts';
import type { HttpEvent } from '../../shared/kernel/http/http-event.ts';
import { readRequest } from '../../shared/kernel/http/http-request.ts';
import type { Operation } from '../../shared/kernel/operation.ts';

const all = ofKind(await loadOperations(), 'http');

/** The operation of this name. @throws if there is none. */
export function operationNamed(name: string): Operation {
  const found = all.find((entry) => entry.name === name);
  if (found === undefined) {
    throw new Error(`There is no operation ${name}.`);
  }
  return found.operation;
}

/** The body that the operation gets from a request with this body and these headers, or the message of the 400. */
export async function parsedBody(
  operation: Operation,
  body: unknown,
  headers: HttpEvent['headers'] = {},
): Promise<unknown> {
  const event: HttpEvent = {
    rawPath: '/',
    headers,
    body: JSON.stringify(body),
    requestContext: { requestId: 'r', http: { method: 'PUT', path: '/', sourceIp: '::1' } },
  };
  const request = readRequest({ ...operation, query: undefined }, event, { receivedAt: new Date(0) });
  return request.then(
    ({ body: parsed }) => parsed,
    (error: Error) => error.message,
  );
}
