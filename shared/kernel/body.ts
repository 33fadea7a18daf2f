import httpJsonBodyParser from '@middy/http-json-body-parser';
import { Failure } from './failure.ts';
import type { HttpRequest } from './http-event.ts';

/** Bytes a request body may have, unless its operation says otherwise. Source: decisions 1, "Input caps". */
export const defaultBodyLimit = 256 * 1024;

/** Levels of nesting a body may have. Source: decisions 1, "Input caps". */
const depthLimit = 100;

/**
 * Turns the body into a JSON object whatever the content type says; an absent one into `{}`. Refuses what is too large,
 * not JSON, not an object, too deep, not well-formed Unicode, has a key `__proto__`, or a number beyond
 * 64 bits.
 */
export function jsonBody(limit: number) {
  const parser = httpJsonBodyParser({ disableContentTypeCheck: true });
  return {
    async before(request: HttpRequest): Promise<void> {
      const { event } = request;
      const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
      if (bytes.length > limit) {
        throw new Failure('TOO_LARGE', `The request body is larger than ${limit / 1024} KB.`);
      }
      const text = decoded(bytes);
      event.body = text.trim() === '' ? '{}' : text;
      event.isBase64Encoded = false;
      try {
        await parser.before?.(request as never);
      } catch (error) {
        if ((error as { cause?: { data?: unknown } }).cause?.data !== 'constructor') {
          throw new Failure('INVALID', problemOf(error));
        }
        // The parser also refuses {"constructor": {"prototype": …}}; the contract stores every odd key but __proto__.
        event.body = JSON.parse(text);
      }
      const body: unknown = event.body;
      if (typeof body !== 'object' || body === null || Array.isArray(body)) {
        throw new Failure('INVALID', 'body must be a JSON object');
      }
      refuseHostile(body, '', 1);
    },
  };
}

/** The text without its byte order mark, whichever way the gateway handed it over. */
function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Failure('INVALID', 'body must be JSON in UTF-8');
  }
}

/** The parser's errors in the contract's words; its own text is never passed on. */
function problemOf(error: unknown): string {
  return (error as { cause?: { data?: unknown } }).cause?.data === '__proto__'
    ? 'body must not contain the key __proto__'
    : 'body must be valid JSON';
}

function refuseHostile(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) {
      throw new Failure('INVALID', `${path} must be well-formed Unicode, without lone surrogates`);
    }
    return;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new Failure('INVALID', `${path} must be a number that fits into 64 bits`);
  }
  if (typeof value !== 'object' || value === null) {
    return;
  }
  if (depth > depthLimit) {
    throw new Failure('INVALID', `body must not be nested deeper than ${depthLimit} levels`);
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      refuseHostile(value[index], `${path}[${index}]`, depth + 1);
    }
    return;
  }
  for (const key of Object.keys(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    if (key === '__proto__') {
      throw new Failure('INVALID', 'body must not contain the key __proto__');
    }
    if (!key.isWellFormed()) {
      throw new Failure('INVALID', `${path || 'body'} must have keys of well-formed Unicode`);
    }
    refuseHostile((value as Record<string, unknown>)[key], at, depth + 1);
  }
}
