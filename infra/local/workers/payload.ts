/**
 * A value on its way from one thread to another: its JSON text, except for a long string in its field `body`, which is sent unchanged.
 * Escaping and parsing such a string would take far longer than everything else, with the same result.
 */
export interface Payload {
  readonly json: string;
  /** Belongs where `json` has an empty string. */
  readonly body?: string;
}

/** A body with this many characters or more is kept out of the JSON text. */
const longBody = 512;

/** The most bytes that a UTF-16 code unit takes in JSON: `\u0000`. */
const maxEscaped = 6;

/**
 * Packs a value exactly as `JSON.stringify` would, also where that omits, alters or refuses something. A value without JSON becomes null.
 */
export function packed(value: unknown): Payload {
  const body = longBodyOf(value);
  const json = JSON.stringify(body === undefined ? value : { ...(value as object), body: '' }) ?? 'null';
  return body === undefined ? { json } : { json, body };
}

/** The value as `JSON.parse` would return it. */
export function unpacked({ json, body }: Payload): unknown {
  const value = JSON.parse(json);
  if (body !== undefined) {
    value.body = body;
  }
  return value;
}

/** Whether the whole value, as JSON, has more than this many bytes. */
export function isLonger({ json, body = '' }: Payload, maxBytes: number): boolean {
  if (maxEscaped * (json.length + body.length) <= maxBytes) {
    return false;
  }
  return Buffer.byteLength(json) + (body === '' ? 0 : Buffer.byteLength(JSON.stringify(body)) - 2) > maxBytes;
}

/** The long body of a plain object; undefined for all other values, which may define their own JSON. */
function longBodyOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return undefined;
  }
  const own = Object.getOwnPropertyDescriptor(value, 'body');
  const isPlain = own?.enumerable === true && !('toJSON' in value);
  return isPlain && typeof own.value === 'string' && own.value.length >= longBody ? own.value : undefined;
}
