import type { IncomingMessage } from 'node:http';
import { keptHeaders } from './attributes.ts';
import { checksumHeaders, givenChecksum, verifyChunks } from './checksums.ts';
import { StoreError } from './errors.ts';
import type { ObjectRecord, Objects } from './objects.ts';
import { type RequestHead, readRequestBytes } from './request-head.ts';
import type { StoreResponse } from './store-response.ts';

/** PutObject: stores the body once it has arrived and matches its checksums. With `If-Match` it replaces only the object with that ETag. */
export async function putObject(
  request: IncomingMessage,
  { bucket, key, headers }: RequestHead,
  objects: Objects,
  now: Date,
): Promise<StoreResponse> {
  if (!headers.has('content-length')) {
    throw new StoreError('MissingContentLength');
  }
  const checksum = givenChecksum(headers);
  const sha256 = headers.get('x-amz-content-sha256') ?? '';
  await using draft = await objects.receive(verifyChunks(readRequestBytes(request), sha256, checksum));
  const record = { key, headers: keptHeaders(headers), checksum, lastModified: now.toISOString() };
  await draft.publish(bucket, record, matching(headers.get('if-match'), key));
  return {
    status: 200,
    headers: { etag: draft.etag, 'x-amz-version-id': draft.version, ...checksumHeaders(checksum) },
  };
}

/** The version that `If-Match` requires of the object that is replaced; undefined without it. */
function matching(etag: string | undefined, key: string) {
  if (etag === undefined) {
    return undefined;
  }
  return (replaced: ObjectRecord | undefined) => {
    if (replaced === undefined) {
      throw new StoreError('NoSuchKey', { Key: key });
    }
    if (replaced.etag !== etag) {
      throw new StoreError('PreconditionFailed', { Condition: 'If-Match' });
    }
  };
}
