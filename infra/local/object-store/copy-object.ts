import { StoreError } from './errors.ts';
import type { ObjectRecord, Objects } from './objects.ts';
import type { RequestHead } from './request-head.ts';
import type { StoreResponse } from './store-response.ts';

export function isCopy({ method, headers }: RequestHead): boolean {
  return method === 'PUT' && headers.has('x-amz-copy-source');
}

/** CopyObject within a bucket, with everything that is stored with the object; completely or not at all. */
export async function copyObject(
  { bucket, key, headers }: RequestHead,
  objects: Objects,
  now: Date,
): Promise<StoreResponse> {
  const source = sourceKey(headers.get('x-amz-copy-source') ?? '', bucket);
  await using object = await objects.open(bucket, source);
  if (!object) {
    throw new StoreError('NoSuchKey', { Key: source });
  }
  const { record } = object;
  const wanted = headers.get('x-amz-copy-source-if-match');
  if (wanted !== undefined && wanted !== record.etag) {
    throw new StoreError('PreconditionFailed', { Condition: 'x-amz-copy-source-If-Match' });
  }
  await using draft = await objects.receive(contentOf(object.content, record));
  const lastModified = now.toISOString();
  await draft.publish(bucket, { key, headers: record.headers, checksum: record.checksum, lastModified });
  return {
    status: 200,
    headers: { 'x-amz-version-id': draft.version, 'x-amz-copy-source-version-id': record.version },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<CopyObjectResult><LastModified>${lastModified}</LastModified><ETag>${draft.etag.replaceAll('"', '&quot;')}</ETag></CopyObjectResult>`,
  };
}

async function* contentOf(
  content: (start: number, end: number) => AsyncIterable<Buffer>,
  { size }: ObjectRecord,
): AsyncGenerator<Buffer> {
  if (size > 0) {
    yield* content(0, size - 1);
  }
}

/** The key in a percent-encoded `bucket/key`, with or without a slash in front. */
function sourceKey(source: string, bucket: string): string {
  const decoded = decodeURIComponent(source).replace(/^\//, '');
  if (!decoded.startsWith(`${bucket}/`) || decoded.includes('?versionId=')) {
    throw new StoreError('NotImplemented', { Header: 'x-amz-copy-source' });
  }
  return decoded.slice(bucket.length + 1);
}
