import { StoreError } from './errors.ts';
import type { RequestHead } from './request-head.ts';

/** Parts of S3 that would change what a request means, were they understood: better refused than passed over. */
const queryParameters = [
  'accelerate',
  'acl',
  'attributes',
  'cors',
  'encryption',
  'legal-hold',
  'lifecycle',
  'location',
  'logging',
  'notification',
  'object-lock',
  'partNumber',
  'policy',
  'renameObject',
  'replication',
  'requestPayment',
  'restore',
  'retention',
  'select',
  'session',
  'tagging',
  'torrent',
  'uploadId',
  'uploads',
  'versionId',
  'versioning',
  'versions',
  'website',
];
const headerPatterns = [
  /^x-amz-copy-source-/,
  /^x-amz-object-lock-/,
  /^x-amz-server-side-encryption-customer-/,
  /^x-amz-tagging$/,
  /^x-amz-write-offset-bytes$/,
];

/** Throws NotImplemented when a request needs what the store does not have. */
export function requireImplemented(head: RequestHead): void {
  const query = queryParameters.find((name) => head.query.has(name));
  if (query !== undefined) {
    throw new StoreError('NotImplemented', { Query: query });
  }
  const header = [...head.headers.keys()].find((name) =>
    headerPatterns.some((pattern) => pattern.test(name)),
  );
  if (header !== undefined) {
    throw new StoreError('NotImplemented', { Header: header });
  }
  const isWrite = head.method !== 'GET' && head.method !== 'HEAD';
  if (isWrite && head.headers.has('if-match')) {
    throw new StoreError('NotImplemented', { Header: 'if-match' });
  }
}
