import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { responseHeaders } from './attributes.ts';
import { checksumHeaders } from './checksums.ts';
import { StoreError } from './errors.ts';
import type { Objects } from './objects.ts';
import type { RequestHead } from './request-head.ts';

/** GetObject and HeadObject: the whole object, or one range. */
export async function sendObject(
  head: RequestHead,
  objects: Objects,
  response: ServerResponse,
): Promise<void> {
  await using object = await objects.open(head.bucket, head.key);
  if (!object) {
    throw new StoreError('NoSuchKey', { Key: head.key });
  }
  const { record } = object;
  const range = requestedRange(head.headers, record.size);
  const wantsChecksum = !range && head.headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED';
  const { start, end } = range ?? { start: 0, end: record.size - 1 };
  response.writeHead(range ? 206 : 200, {
    ...responseHeaders(record, head.query),
    ...(wantsChecksum && checksumHeaders(record.checksum)),
    ...(range && { 'content-range': `bytes ${start}-${end}/${record.size}` }),
    'content-length': end - start + 1,
  });
  if (head.method === 'HEAD' || record.size === 0) {
    response.end();
  } else {
    await pipeline(object.content(start, end), response);
  }
}

/** The requested range of bytes, both ends included. Several ranges, and other units, get the whole object, as from S3. */
function requestedRange(
  headers: ReadonlyMap<string, string>,
  size: number,
): { start: number; end: number } | undefined {
  const text = headers.get('range') ?? '';
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(text) ?? [];
  if (first === undefined || last === undefined || first + last === '' || headers.has('if-range')) {
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
