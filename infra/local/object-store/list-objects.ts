import { escaped, StoreError } from './errors.ts';
import type { Objects } from './objects.ts';
import type { RequestHead } from './request-head.ts';
import type { StoreResponse } from './store-response.ts';

/** The query parameters of a listing, which is always a single page. */
const parameters = new Set(['list-type', 'prefix', 'x-id']);

/** Whether the request is ListObjectsV2. */
export function isListing({ method, key, query }: RequestHead): boolean {
  return method === 'GET' && key === '' && query.get('list-type') === '2';
}

/** ListObjectsV2: the objects whose keys begin with the prefix, in the order of their keys. */
export async function listObjects({ bucket, query }: RequestHead, objects: Objects): Promise<StoreResponse> {
  const foreign = [...query.keys()].find((name) => !parameters.has(name));
  if (foreign !== undefined) {
    throw new StoreError('NotImplemented', { Query: foreign });
  }
  const prefix = query.get('prefix') ?? '';
  const found = (await objects.list(bucket))
    .filter(({ key }) => key.startsWith(prefix))
    .sort((record, other) => Buffer.compare(Buffer.from(record.key), Buffer.from(other.key)));
  const contents = found.map(
    ({ key, size, etag, lastModified }) =>
      `<Contents><Key>${escaped(key)}</Key><LastModified>${lastModified}</LastModified><ETag>${escaped(etag)}</ETag><Size>${size}</Size></Contents>`,
  );
  return {
    status: 200,
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult><Name>${bucket}</Name><Prefix>${escaped(prefix)}</Prefix><KeyCount>${found.length}</KeyCount><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`,
  };
}
