import middy from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { parseJson } from '../exact-numbers.ts';
import { Failure } from '../failure.ts';
import { withoutByteOrderMark } from '../json.ts';
import type { SentRequest } from '../request.ts';
import { isFormType, isMultipart, readForm } from './form-body.ts';
import type { HttpEvent } from './http-event.ts';
import { repaired } from './repaired-body.ts';
import { makeStorable } from './storable.ts';

/** Bytes that a request body may have, unless its operation sets another limit. Source: decisions 1, "Input caps". */
export const defaultBodyLimit = 256 * 1024;

/** Levels of nesting a body may have. Source: decisions 1, "Input caps". */
export const depthLimit = 100;

export interface BodyOptions {
  /** Bytes. */
  readonly limit: number;
  readonly takesForms: boolean;
  /** Whether to keep what can be kept of a body that would be refused otherwise. */
  readonly repairsBody: boolean;
}

/** The body parser of the chosen middleware, as a function of a string. */
const parse = middy()
  .use(httpJsonBodyParser({ disableContentTypeCheck: true }))
  .handler((async ({ body }: { readonly body: unknown }) => body) as never);

/** A request body, parsed and as it was sent. */
export interface RequestBody extends Pick<SentRequest, 'text' | 'isForm' | 'leftOut'> {
  readonly value: object;
}

/**
 * Reads the request's body as a JSON object, whatever its content type; an empty one as `{}`. An operation that takes forms gets
 * a form as an object of strings.
 * @throws a 400 or 413 `Failure` for a body that is too large, not such an object or has a key `__proto__`; and unless it is repaired,
 * for one that is nested too deep, not well-formed Unicode, or has a number beyond 64 bits.
 */
export async function readBody(
  event: HttpEvent,
  { limit, takesForms, repairsBody }: BodyOptions,
): Promise<RequestBody> {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > limit) {
    throw new Failure('TOO_LARGE', `The request body is larger than ${limit / 1024} KB.`);
  }
  const { 'content-type': contentType = '' } = event.headers;
  const text = decoded(bytes, { fatal: !(takesForms && isMultipart(contentType)) });
  const json = withoutByteOrderMark(text);
  const isForm = takesForms && isFormType(contentType) && !isJson(json);
  const value: unknown = isForm
    ? await readForm(contentType, bytes, text)
    : await (repairsBody ? anyJsonOf(json) : jsonOf(json));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Failure('INVALID', 'body must be a JSON object');
  }
  if (repairsBody) {
    const { value: whole, leftOut } = repaired(value, depthLimit);
    return { value: whole as object, text, isForm, leftOut };
  }
  makeStorable(value, depthLimit);
  return { value, text, isForm, leftOut: [] };
}

/** What the parser refuses has one of these words in it, or an escape that may hide one. */
const mayBeRefused = /__proto__|constructor|\\u/;

async function jsonOf(text: string): Promise<unknown> {
  // The parser looks at each member by itself: that takes ten times as long, for a body of 4 MB two seconds. Such a body is searched for
  // the key __proto__ like all others.
  if (text.length > defaultBodyLimit || !mayBeRefused.test(text)) {
    return anyJsonOf(text);
  }
  try {
    await parse({ body: text.trim() === '' ? '{}' : text, headers: {} } as never, {} as never);
  } catch (error) {
    if ((error as { cause?: { data?: unknown } }).cause?.data !== 'constructor') {
      throw new Failure('INVALID', problemOf(error));
    }
    // The parser also refuses {"constructor": {"prototype": …}}; the contract stores every odd key but __proto__.
  }
  return anyJsonOf(text);
}

/** Also what the parser refuses because it is nested too deep for it; the caller refuses the key __proto__. */
function anyJsonOf(text: string): unknown {
  try {
    return parseJson(text.trim() === '' ? '{}' : text);
  } catch {
    throw new Failure('INVALID', 'body must be valid JSON');
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The text including its byte order mark, because a signature covers the mark too. */
function decoded(bytes: Buffer, { fatal }: { readonly fatal: boolean }): string {
  try {
    return new TextDecoder('utf-8', { fatal, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure('INVALID', 'body must be JSON in UTF-8');
  }
}

/** The parser's errors in the contract's words; its own text is never shown. */
function problemOf(error: unknown): string {
  return (error as { cause?: { data?: unknown } }).cause?.data === '__proto__'
    ? 'body must not contain the key __proto__'
    : 'body must be valid JSON';
}
