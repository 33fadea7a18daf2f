import type { InvocationScope } from '../kernel/ports.ts';
import type {
  Attachments,
  DocumentReader,
  Documents,
  Downloads,
  Exports,
  Uploads,
} from '../objects/objects.ts';
import { type ClientLimits, clientLimits } from './client-limits.ts';
import { type ObjectArea, type ObjectKeys, objectKeys } from './object-keys.ts';
import { type Bucket, bucketOf } from './s3-bucket.ts';
import { downloadUrl, presignedPost } from './s3-presigning.ts';
import { objectRequests } from './s3-requests.ts';

/** The keys of the invocation's organization. @throws without a verified caller: it fails closed. */
function ownKeys(area: ObjectArea, { organizationId }: InvocationScope): ObjectKeys {
  if (organizationId === undefined) {
    throw new Error('The port "objects" needs a caller');
  }
  return objectKeys(area, organizationId);
}

function downloads(
  bucket: Bucket,
  keys: ObjectKeys,
  { now }: InvocationScope,
): Pick<Downloads, 'downloadUrl'> {
  return {
    downloadUrl: async (relative, options) => downloadUrl(bucket, keys.keyOf(relative), { ...options, now }),
  };
}

export function provideDownloads(environment: NodeJS.ProcessEnv) {
  const bucket = bucketOf(environment);
  return (call: InvocationScope) =>
    (organizationId: string): Downloads => {
      const keys = objectKeys('uploads', organizationId);
      return { ...keys, ...downloads(bucket, keys, call) };
    };
}

export function provideAttachments(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const bucket = bucketOf(environment);
  const requests = objectRequests(bucket, limits);
  return (call: InvocationScope): Attachments => {
    const keys = ownKeys('uploads', call);
    return {
      ...keys,
      ...downloads(bucket, keys, call),
      async head(relative) {
        const found = await requests.read('HEAD', keys.keyOf(relative));
        return (
          found && {
            size: Number(found.headers['content-length']),
            type: found.headers['content-type'] ?? 'binary/octet-stream',
          }
        );
      },
    };
  };
}

export function provideUploads(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const bucket = bucketOf(environment);
  const provide = provideAttachments(environment, limits);
  return (call: InvocationScope): Uploads => {
    const attachments = provide(call);
    return {
      ...attachments,
      presignedPost: async (relative, options) =>
        presignedPost(bucket, attachments.keyOf(relative), { ...options, now: call.now }),
    };
  };
}

export function provideStoredDocuments(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const requests = objectRequests(bucketOf(environment), limits);
  return (call: InvocationScope): DocumentReader => {
    const keys = ownKeys('documents', call);
    return { get: async (relative) => (await requests.read('GET', keys.keyOf(relative)))?.bytes };
  };
}

export function provideDocuments(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const requests = objectRequests(bucketOf(environment), limits);
  const provide = provideStoredDocuments(environment, limits);
  return (call: InvocationScope): Documents => {
    const keys = ownKeys('documents', call);
    return {
      ...provide(call),
      put: async (relative, bytes) =>
        requests.put(keys.keyOf(relative), bytes, { 'content-type': 'application/octet-stream' }),
      remove: async (relative) => requests.remove(keys.keyOf(relative)),
    };
  };
}

export function provideExports(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const bucket = bucketOf(environment);
  const requests = objectRequests(bucket, limits);
  const attachments = provideAttachments(environment, limits);
  return (call: InvocationScope): Exports => {
    const keys = ownKeys('exports', call);
    return {
      attachments: attachments(call),
      ...downloads(bucket, keys, call),
      // Browsers and HTTP clients unzip by this header, so a download is the JSON itself.
      put: async (relative, zipped) =>
        requests.put(keys.keyOf(relative), zipped, {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        }),
    };
  };
}
