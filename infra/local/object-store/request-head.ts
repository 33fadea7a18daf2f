import type { IncomingMessage } from 'node:http';
import { StoreError } from './errors.ts';

/** The decoded request line and headers. */
export interface RequestHead {
  method: string;
  /** The whole path, decoded. */
  path: string;
  query: URLSearchParams;
  /** By lower-case name; several values of one name are joined by commas, as signatures see them. */
  headers: ReadonlyMap<string, string>;
  /** Empty when the request names no bucket. */
  bucket: string;
  /** Empty when the request is about the bucket itself. */
  key: string;
}

const longestKey = 1024;

export function requestHead(request: IncomingMessage): RequestHead {
  const [, rawPath = '', rawQuery = ''] = /^(\/[^?]*)\??(.*)$/s.exec(request.url ?? '') ?? [];
  if (rawPath === '') {
    throw new StoreError('InvalidURI');
  }
  const path = decoded(rawPath);
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
  requireShortKey(key);
  return {
    method: request.method ?? '',
    path,
    query: new URLSearchParams(rawQuery),
    headers: joinedHeaders(request),
    bucket,
    key,
  };
}

/** The bytes of a request. Leaving the loop early does not close the connection, so that a response can still follow. */
export function readRequestBytes(request: IncomingMessage): AsyncIterable<Buffer> {
  const iterator: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false });
  return { [Symbol.asyncIterator]: () => iterator };
}

export function requireShortKey(key: string): void {
  const Size = Buffer.byteLength(key);
  if (Size > longestKey) {
    throw new StoreError('KeyTooLongError', { Size, MaxSizeAllowed: longestKey });
  }
}

function joinedHeaders(request: IncomingMessage): Map<string, string> {
  return new Map(
    Object.entries(request.headersDistinct).map(([name, values = []]) => [
      name,
      // Node reads header bytes as Latin-1; clients write, and sign, UTF-8.
      Buffer.from(values.map((value) => value.trim()).join(','), 'latin1').toString(),
    ]),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new StoreError('InvalidURI', { URI: text });
  }
}

/** Percent-encoded as signatures require it. */
export function uriEncoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
