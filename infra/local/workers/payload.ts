/**
 * A value on its way from one thread to another: its JSON text, but for a long string in its field `body`, which goes as it is. To
 * escape and read such a string takes far longer than all the rest, and it arrives as the same string either way.
 */
export interface Payload {
  readonly json: string;
  /** Belongs where `json` has an empty string. */
  readonly body?: string;
}

/** Characters from which a body is kept out of the text. */
const longBody = 512;

/** Bytes that a UTF-16 unit has at most as JSON: `\u0000`. */
const maxEscaped = 6;

/** Packs a value as `JSON.stringify` would, what that leaves out, alters or refuses included; what it makes nothing of becomes null. */
export function packed(value: unknown): Payload {
  const body = longBodyOf(value);
  const json = JSON.stringify(body === undefined ? value : { ...(value as object), body: '' }) ?? 'null';
  return body === undefined ? { json } : { json, body };
}

/** The value as `JSON.parse` would give it. */
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

/** The long body of a plain object; undefined for all other values, which may say themselves what their JSON is. */
function longBodyOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return undefined;
  }
  const own = Object.getOwnPropertyDescriptor(value, 'body');
  const isPlain = own?.enumerable === true && !('toJSON' in value);
  return isPlain && typeof own.value === 'string' && own.value.length >= longBody ? own.value : undefined;
}
