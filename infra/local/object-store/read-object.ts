import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { responseHeaders } from './attributes.ts';
import { StoreError } from './errors.ts';
import type { ObjectRecord, Objects } from './objects.ts';
import type { RequestHead } from './request-head.ts';
import { checksumHeaders } from './write-object.ts';

/** GetObject and HeadObject: whole or one range, under the conditions that the request names. */
export async function sendObject(
  head: RequestHead,
  headers: ReadonlyMap<string, string>,
  objects: Objects,
  response: ServerResponse,
): Promise<void> {
  await using object = await objects.open(head.bucket, head.key);
  if (!object) {
    throw new StoreError('NoSuchKey', { Key: head.key });
  }
  const { record } = object;
  const answer = responseHeaders(record, head.query);
  if (isUnchanged(headers, record)) {
    response.writeHead(304, { etag: record.etag, 'last-modified': answer['last-modified'] }).end();
    return;
  }
  const range = requestedRange(headers, record.size);
  const wantsChecksum = !range && headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED';
  const { start, end } = range ?? { start: 0, end: record.size - 1 };
  response.writeHead(range ? 206 : 200, {
    ...answer,
    ...(wantsChecksum ? checksumHeaders(record.checksum) : {}),
    ...(range ? { 'content-range': `bytes ${start}-${end}/${record.size}` } : {}),
    'content-length': end - start + 1,
  });
  if (head.method === 'HEAD' || record.size === 0) {
    response.end();
  } else {
    await pipeline(object.content(start, end), response);
  }
}

/** Throws PreconditionFailed for a failed `If-Match` or `If-Unmodified-Since`; true asks for a 304. */
function isUnchanged(headers: ReadonlyMap<string, string>, record: ObjectRecord): boolean {
  const modified = Math.floor(Date.parse(record.lastModified) / 1000) * 1000;
  const match = headers.get('if-match');
  const unmodifiedSince = Date.parse(headers.get('if-unmodified-since') ?? '');
  if (match !== undefined ? !names(match, record.etag) : modified > unmodifiedSince) {
    throw new StoreError('PreconditionFailed', {
      Condition: match === undefined ? 'If-Unmodified-Since' : 'If-Match',
    });
  }
  const noneMatch = headers.get('if-none-match');
  if (noneMatch !== undefined) {
    return names(noneMatch, record.etag);
  }
  return modified <= Date.parse(headers.get('if-modified-since') ?? '');
}

function names(list: string, etag: string): boolean {
  const bare = (text: string) => text.trim().replace(/^W\//, '').replaceAll('"', '');
  return list.split(',').some((entry) => entry.trim() === '*' || bare(entry) === bare(etag));
}

/** One range in bytes, both ends included; several ranges, and other units, are answered with the whole, as S3 does. */
function requestedRange(
  headers: ReadonlyMap<string, string>,
  size: number,
): { start: number; end: number } | undefined {
  const text = headers.get('range') ?? '';
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(text) ?? [];
  if (first === undefined || last === undefined || first + last === '') {
    return undefined;
  }
  if (headers.has('if-range')) {
    return undefined;
  }
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) {
    return undefined;
  }
  if (start < size) {
    return { start, end };
  }
  throw new StoreError('InvalidRange', { RangeRequested: text, ActualObjectSize: size });
}
