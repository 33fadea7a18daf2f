import * as z from 'zod/mini';
import { mayLoseDigits } from '../exact-numbers.ts';
import { toId, unusedId } from '../identifier.ts';
import type { Operation } from '../operation.ts';
import type { AnyRequest } from '../request.ts';
import { defaultBodyLimit, type RequestBody, readBody } from './body.ts';
import type { HttpEvent } from './http-event.ts';
import { parsed } from './invalid.ts';
import { withPlainNumbers } from './plain-numbers.ts';
import { readQuery } from './query.ts';
import { withoutNulls } from './without-nulls.ts';

/** When a request was received, and whether it was deferred. */
type Received = Pick<AnyRequest['sent'], 'receivedAt' | 'wasDeferred'>;

/** The request as the operation takes it. @throws a 400 or 413 `Failure` for a query or a body that it does not take. */
export async function readRequest(
  operation: Operation,
  event: HttpEvent,
  received: Received,
): Promise<AnyRequest> {
  const { bodyLimit: limit = defaultBodyLimit, takesForms = false, repairsBody = false } = operation;
  const { method, sourceIp } = event.requestContext.http;
  const body = operation.body && (await readBody(event, { limit, takesForms, repairsBody }));
  return {
    path: pathParameters(operation, event),
    query: readQuery(operation.query, event.queryStringParameters ?? {}, event.rawQueryString),
    body: operation.body && body && parsed(operation.body, fieldsOf(operation.body, body), 'body'),
    headers: headersOf(operation, event),
    sent: {
      method,
      path: event.rawPath,
      url: urlOf(event),
      text: body?.text ?? '',
      isForm: body?.isForm ?? false,
      skippedFields: body?.skippedFields ?? [],
      requestId: event.requestContext.requestId,
      ...received,
    },
    sourceIp,
  };
}

/** The fields of a body as their schema takes them. */
function fieldsOf(schema: z.ZodMiniObject, { value, text, isForm }: RequestBody): unknown {
  const sent = isForm ? withFirstValues(schema, value) : value;
  return withoutNulls(schema, mayLoseDigits(text) ? withPlainNumbers(schema, sent) : sent);
}

/** A form whose described fields have their first value: only a further field may be a list. */
function withFirstValues({ shape }: z.ZodMiniObject, form: object): object {
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => [
      name,
      Object.hasOwn(shape, name) && Array.isArray(value) ? value[0] : value,
    ]),
  );
}

/** The headers, with the values that their schemas make of the headers that the operation takes. */
function headersOf({ takesHeaders = {} }: Operation, { headers }: HttpEvent): AnyRequest['headers'] {
  const taken = Object.entries(takesHeaders).flatMap(([name, { schema }]) => {
    const value = headers[name.toLowerCase()];
    return value === undefined ? [] : [[name.toLowerCase(), parsed(schema, value, name)]];
  });
  return { ...headers, ...Object.fromEntries(taken) };
}

/** The path parameters; each is an identifier, or what its own schema takes. */
export function pathParameters(
  { path = {} }: Operation,
  { pathParameters = {} }: HttpEvent,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(pathParameters).map(([name, value = '']) => {
      const schema = path[name];
      if (schema === undefined) {
        return [name, toId(value)];
      }
      const { success, data } = z.safeParse(schema, value);
      return [name, success ? data : unusedId];
    }),
  );
}

/** The address as the client wrote it. The gateway decodes the path, but our routes have nothing to decode. */
function urlOf(event: HttpEvent): string {
  const { headers, rawPath, rawQueryString, requestContext } = event;
  const host = headers.host ?? requestContext.domainName ?? '';
  return `${requestScheme(event)}://${host}${rawPath}${rawQueryString ? `?${rawQueryString}` : ''}`;
}

/** `https`, the only one that AWS's gateway accepts, or `http` from a local gateway. */
export function requestScheme({ headers }: HttpEvent): string {
  return headers['x-forwarded-proto'] ?? 'https';
}
