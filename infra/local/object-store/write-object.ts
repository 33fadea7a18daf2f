import { type Attributes, objectAttributes } from './attributes.ts';
import type { ContentChecksum } from './checksums.ts';
import { StoreError } from './errors.ts';
import type { Objects } from './objects.ts';
import type { Payload } from './payload.ts';
import type { RequestHead } from './request-head.ts';
import { element, xmlDocument } from './xml.ts';

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** PutObject. `headers` are those that the request's signature covers. */
export async function putObject(
  { bucket, key }: RequestHead,
  headers: ReadonlyMap<string, string>,
  payload: Payload,
  objects: Objects,
  now: Date,
): Promise<Answer> {
  const onlyIfAbsent = headers.has('if-none-match');
  if (onlyIfAbsent && headers.get('if-none-match') !== '*') {
    throw new StoreError('NotImplemented', { Header: 'If-None-Match' });
  }
  const attributes = objectAttributes(headers);
  await using draft = await objects.receive(payload.chunks);
  const { checksum } = payload;
  const record = { key, ...attributes, checksum, lastModified: now.toISOString() };
  if (!(await draft.publish(bucket, record, onlyIfAbsent))) {
    throw new StoreError('PreconditionFailed', { Condition: 'If-None-Match' });
  }
  return { status: 200, headers: { etag: draft.etag, ...checksumHeaders(checksum) } };
}

/** CopyObject, with the metadata of the source or, by `x-amz-metadata-directive`, that of the request. */
export async function copyObject(
  target: RequestHead,
  headers: ReadonlyMap<string, string>,
  objects: Objects,
  now: Date,
): Promise<Answer> {
  const source = copySource(headers.get('x-amz-copy-source') ?? '');
  if (!objects.hasBucket(source.bucket)) {
    throw new StoreError('NoSuchBucket', { BucketName: source.bucket });
  }
  const replaces = headers.get('x-amz-metadata-directive') === 'REPLACE';
  if (!replaces && source.bucket === target.bucket && source.key === target.key) {
    throw new StoreError(
      'InvalidRequest',
      {},
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    );
  }
  await using original = await objects.open(source.bucket, source.key);
  if (!original) {
    throw new StoreError('NoSuchKey', { Key: source.key });
  }
  const attributes: Attributes = replaces ? objectAttributes(headers) : original.record;
  await using draft = await objects.receive(original.content());
  const lastModified = now.toISOString();
  await draft.publish(target.bucket, {
    key: target.key,
    headers: attributes.headers,
    metadata: attributes.metadata,
    checksum: original.record.checksum,
    lastModified,
  });
  const content = [element('LastModified', lastModified), element('ETag', draft.etag)];
  return { status: 200, body: xmlDocument('CopyObjectResult', content) };
}

export function checksumHeaders(checksum: ContentChecksum | undefined): Record<string, string> {
  if (checksum?.value === undefined) {
    return {};
  }
  return {
    [`x-amz-checksum-${checksum.algorithm}`]: checksum.value,
    'x-amz-checksum-type': 'FULL_OBJECT',
  };
}

function copySource(text: string): { bucket: string; key: string } {
  const [, bucket, key] = /^\/?([^/]+)\/(.+)$/s.exec(decodedOrEmpty(text)) ?? [];
  if (bucket !== undefined && key !== undefined && !text.includes('?')) {
    return { bucket, key };
  }
  throw new StoreError(
    'InvalidArgument',
    { ArgumentName: 'x-amz-copy-source', ArgumentValue: text },
    'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
  );
}

function decodedOrEmpty(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
