import type { IncomingMessage } from 'node:http';
import { keptHeaders } from './attributes.ts';
import { checksumHeaders, givenChecksum, verifiedChunks } from './checksums.ts';
import { StoreError } from './errors.ts';
import type { ObjectRecord, Objects } from './objects.ts';
import { type RequestHead, requestBytes } from './request-head.ts';

/** An answer of the store other than the content of an object. */
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** PutObject: stores the body once all of it has arrived and fits its checksums, with `If-Match` in place of that object alone. */
export async function putObject(
  request: IncomingMessage,
  { bucket, key, headers }: RequestHead,
  objects: Objects,
  now: Date,
): Promise<Answer> {
  if (!headers.has('content-length')) {
    throw new StoreError('MissingContentLength');
  }
  const checksum = givenChecksum(headers);
  const sha256 = headers.get('x-amz-content-sha256') ?? '';
  await using draft = await objects.receive(verifiedChunks(requestBytes(request), sha256, checksum));
  const record = { key, headers: keptHeaders(headers), checksum, lastModified: now.toISOString() };
  await draft.publish(bucket, record, matching(headers.get('if-match'), key));
  return {
    status: 200,
    headers: { etag: draft.etag, 'x-amz-version-id': draft.version, ...checksumHeaders(checksum) },
  };
}

/** What `If-Match` requires of the object that is replaced. */
function matching(etag: string | undefined, key: string) {
  return (replaced: ObjectRecord | undefined) => {
    if (etag === undefined) {
      return;
    }
    if (replaced === undefined) {
      throw new StoreError('NoSuchKey', { Key: key });
    }
    if (replaced.etag !== etag) {
      throw new StoreError('PreconditionFailed', { Condition: 'If-Match' });
    }
  };
}
