import { createHash } from 'node:crypto';
import { Failure } from '../failure.ts';
import type { KeyedRequest } from '../ports.ts';
import type { HttpEvent } from './http-event.ts';

/** The header by which a client names a request that it may repeat. */
export const keyHeader = 'Idempotency-Key';

/** Characters that a key may have at most. */
export const longestKey = 255;

/** Printable ASCII. */
const form = new RegExp(`^[\\x20-\\x7e]{1,${longestKey}}$`);

/** The key of a request, and its digest; undefined without the header. @throws a 400 `Failure` for what cannot be a key. */
export function keyedRequest(
  { headers, rawPath, rawQueryString = '', body = '', isBase64Encoded, requestContext }: HttpEvent,
  longestRun: number,
): KeyedRequest | undefined {
  const key = headers[keyHeader.toLowerCase()];
  if (key === undefined) {
    return undefined;
  }
  if (!form.test(key)) {
    throw new Failure('INVALID', `${keyHeader} must have 1 to ${longestKey} printable ASCII characters`);
  }
  const { method } = requestContext.http;
  const parts = [method, rawPath, rawQueryString, headers['x-organization-id'] ?? ''];
  const digest = createHash('sha256')
    .update(`${JSON.stringify(parts)}\n`)
    .update(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'))
    .digest('base64url');
  return { key, digest, longestRun };
}
