import middy from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { mayLoseDigits, parseJson } from '../exact-numbers.ts';
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
export interface RequestBody extends Pick<SentRequest, 'text' | 'isForm' | 'skippedFields'> {
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
    const { value: whole, skippedFields } = repaired(value, depthLimit);
    return { value: whole as object, text, isForm, skippedFields };
  }
  makeStorable(value, depthLimit);
  return { value, text, isForm, skippedFields: [] };
}

/**
 * The parser looks at each member by itself: for a body of 4 MB that takes two seconds. And it knows no digits of a number. Such bodies are
 * read without it, and searched for the key __proto__ like all others.
 */
async function jsonOf(text: string): Promise<unknown> {
  if (text.length > defaultBodyLimit || mayLoseDigits(text)) {
    return anyJsonOf(text);
  }
  try {
    return await parse({ body: text.trim() === '' ? '{}' : text, headers: {} } as never, {} as never);
  } catch (error) {
    if ((error as { cause?: { data?: unknown } }).cause?.data === '__proto__') {
      throw new Failure('INVALID', 'body must not contain the key __proto__');
    }
    // It also refuses {"constructor": {"prototype": …}}, and what is nested too deep for it. The contract stores every odd key but __proto__.
    return anyJsonOf(text);
  }
}

/** The caller refuses the key __proto__, and what is nested too deep. */
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
