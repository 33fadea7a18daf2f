import { gzipSync } from 'node:zlib';
import { Failure, type Family, failureBody, Refused, refusals } from '../failure.ts';
import type { HttpResponse } from './http-event.ts';
import { JsonText } from './json-text.ts';

/** Bytes from which a response is worth compressing for a client that accepts it. */
const worthZipping = 4 * 1024;

/**
 * The largest response that Lambda passes on, in bytes, less its own wrapping. A larger one is compressed even if the client did
 * not ask for it. Source: Lambda quotas; decisions 6, "separation-data".
 */
const largestResponse = 5.9 * 1024 * 1024;

export interface ResponseOptions {
  requestId: string;
  acceptsGzip: boolean;
  overHttps: boolean;
  contentType?: string;
}

/** The message to a client whose response would be too large. */
export const oversizedMessage =
  'The response would be larger than 6 MB. Ask for less at once: a smaller page, or fewer stages.';

/** The response is too large for the platform even when gzipped. */
export class Oversized extends Failure {
  readonly zipped: Uint8Array;

  constructor(zipped: Uint8Array) {
    super('INVALID', oversizedMessage);
    this.zipped = zipped;
  }
}

/** @throws `Oversized` when the response is too large for the platform. */
export function response(
  statusCode: number,
  body: unknown,
  { requestId, acceptsGzip, overHttps, contentType = 'application/json' }: ResponseOptions,
  headers: Record<string, string> = {},
): HttpResponse {
  const text = textOf(body, contentType);
  const common = responseHeaders(contentType, requestId, overHttps);
  const all = { ...common, 'cache-control': 'no-store', ...headers };
  if (!isWorthZipping(text) || (!acceptsGzip && !isTooLarge(text))) {
    return { statusCode, headers: all, body: text };
  }
  const zipped = gzipSync(text, { level: 4 });
  if ((zipped.length * 4) / 3 > largestResponse) {
    throw new Oversized(zipped);
  }
  return {
    statusCode,
    headers: { ...all, 'content-encoding': 'gzip', vary: 'accept-encoding' },
    body: zipped.toString('base64'),
    isBase64Encoded: true,
  };
}

/** Forbids browsers to guess the type of a response, to show it in a frame, and to send its address to other servers. */
const browserRules = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

/** For a year, browsers use HTTPS only. They ignore this header in a response over HTTP. Source: RFC 6797, 7.2 and 8.1. */
const httpsRules = { ...browserRules, 'strict-transport-security': 'max-age=31536000' };

/** The headers of every response. */
export function responseHeaders(
  contentType: string,
  requestId: string,
  overHttps: boolean,
): Record<string, string> {
  return {
    'content-type': contentType.startsWith('text/') ? `${contentType}; charset=utf-8` : contentType,
    'x-request-id': requestId,
    ...(overHttps ? httpsRules : browserRules),
  };
}

function textOf(body: unknown, contentType: string): string {
  if (body instanceof JsonText) {
    return body.text;
  }
  return contentType === 'application/json' ? JSON.stringify(body) : String(body);
}

/** Counts the bytes of short texts only: of others the characters are enough. */
function isWorthZipping(text: string): boolean {
  return text.length >= worthZipping || Buffer.byteLength(text) >= worthZipping;
}

/** The most bytes that a UTF-16 code unit becomes in what Lambda passes on: six for a lone surrogate and for most control characters. */
const maxPassedOn = 6;

function isTooLarge(text: string): boolean {
  // Counting exactly costs about as much as making the text, so only large ones are counted.
  return maxPassedOn * text.length + 2 >= largestResponse && bytesPassedOn(text) >= largestResponse;
}

/** Bytes of a string in what Lambda passes on: as JSON, which escapes quotes and line ends. */
export function bytesPassedOn(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

/** The response to anything thrown: the failure in the family's shape, a refused token, or a bare 500. */
export function errorResponse(
  error: unknown,
  family: Family,
  options: ResponseOptions,
  refusal: (reason: 'invalid' | 'expired') => Record<string, string> = (reason) => refusals[reason],
): HttpResponse {
  const json = { ...options, contentType: 'application/json' };
  if (error instanceof Refused) {
    return response(401, refusal(error.reason), json, { 'www-authenticate': 'Bearer' });
  }
  const failure = error instanceof Failure ? error : new Failure('INTERNAL', 'Internal server error');
  return response(failure.status, failureBody(failure, family), json, {
    ...(failure.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(failure.retryAfter === undefined ? {} : { 'retry-after': String(failure.retryAfter) }),
    ...(failure.allow === undefined ? {} : { allow: failure.allow.join(', ') }),
  });
}
