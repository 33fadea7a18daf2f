import { Failure } from '../kernel/failure.ts';
import type { InvocationScope } from '../kernel/ports.ts';
import type {
  Attachments,
  DocumentReader,
  Documents,
  Downloads,
  Erasure,
  ExportFiles,
  Exports,
  ImportFiles,
  NewAttachments,
  Uploads,
} from '../kernel/providers/objects.ts';
import { type ClientLimits, clientLimits } from './aws/client-limits.ts';
import { type Bucket, bucketFrom } from './aws/s3-bucket.ts';
import { downloadUrl, presignPost } from './aws/s3-presigning.ts';
import { type ObjectRequests, objectRequests } from './aws/s3-requests.ts';
import { type ObjectArea, type ObjectKeys, objectKeys } from './object-keys.ts';

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

/** URLs to files of any organization. */
export function provideDownloads(environment: NodeJS.ProcessEnv) {
  const bucket = bucketFrom(environment);
  return (call: InvocationScope) =>
    (organizationId: string): Downloads => {
      const keys = objectKeys('files', organizationId);
      return { ...keys, ...downloads(bucket, keys, call) };
    };
}

/** URLs to files of the caller's organization. */
export function provideAttachments(environment: NodeJS.ProcessEnv) {
  const bucket = bucketFrom(environment);
  return (call: InvocationScope): Attachments => {
    const keys = ownKeys('files', call);
    return { ...keys, ...downloads(bucket, keys, call) };
  };
}

/** The same, and uploads that become such files. */
export function provideNewAttachments(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const requestsOf = objectRequests(bucketFrom(environment, limits));
  const provide = provideAttachments(environment);
  return (call: InvocationScope): NewAttachments => {
    const requests = requestsOf(call);
    const uploads = ownKeys('uploads', call);
    const attachments = provide(call);
    return {
      ...attachments,
      async upload(key) {
        const relative = uploads.relativeKey(key);
        const found = relative === undefined ? undefined : await requests.find(key);
        return relative === undefined || found === undefined
          ? undefined
          : {
              relative,
              size: found.ContentLength ?? 0,
              type: found.ContentType ?? 'binary/octet-stream',
              etag: found.ETag ?? '',
              version: found.VersionId,
            };
      },
      async copy({ relative, etag }, to) {
        const copied = await requests.copy({ key: uploads.keyOf(relative), etag }, attachments.keyOf(to));
        if (copied === undefined) {
          throw new Failure('UNAVAILABLE', 'An attachment is being uploaded again. Try again.', {
            retryAfter: 1,
          });
        }
        return copied.version;
      },
    };
  };
}

/** Forms with which browsers upload. */
export function provideUploads(environment: NodeJS.ProcessEnv) {
  const bucket = bucketFrom(environment);
  return (call: InvocationScope): Uploads => {
    const { keyOf } = ownKeys('uploads', call);
    return {
      keyOf,
      presignedPost: async (relative, options) =>
        presignPost(bucket, keyOf(relative), { ...options, now: call.now }),
    };
  };
}

/** Files to be imported. */
export function provideImportFiles(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const requestsOf = objectRequests(bucketFrom(environment, limits));
  return (call: InvocationScope): ImportFiles => {
    const { relativeKey } = ownKeys('uploads', call);
    const documents = ownKeys('documents', call);
    return {
      put: async (relative, bytes) =>
        requestsOf(call).put(documents.keyOf(relative), bytes, { ContentType: 'text/csv' }),
      async readUpload(key) {
        return relativeKey(key) === undefined ? undefined : (await requestsOf(call).read(key))?.bytes;
      },
    };
  };
}

const documentReader = (requests: ObjectRequests, { keyOf }: ObjectKeys): DocumentReader => ({
  get: async (relative) => (await requests.read(keyOf(relative)))?.bytes,
});

/** The documents of the caller's organization, to read. */
export function provideStoredDocuments(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const requestsOf = objectRequests(bucketFrom(environment, limits));
  return (call: InvocationScope) => documentReader(requestsOf(call), ownKeys('documents', call));
}

/** The documents of any organization, to read. */
export function providePlans(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const requestsOf = objectRequests(bucketFrom(environment, limits));
  return (call: InvocationScope) => (organizationId: string) =>
    documentReader(requestsOf(call), objectKeys('documents', organizationId));
}

/** The documents of the caller's organization, to read and write. */
export function provideDocuments(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const requestsOf = objectRequests(bucketFrom(environment, limits));
  return (call: InvocationScope): Documents => {
    const requests = requestsOf(call);
    const keys = ownKeys('documents', call);
    return {
      ...documentReader(requests, keys),
      put: async (relative, bytes) =>
        requests.put(keys.keyOf(relative), bytes, { ContentType: 'application/octet-stream' }),
      remove: async (relative) => requests.remove(keys.keyOf(relative)),
    };
  };
}

/** The export of a contact, and the files that it names. */
export function provideExports(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const bucket = bucketFrom(environment, limits);
  const requestsOf = objectRequests(bucket);
  const attachments = provideAttachments(environment);
  return (call: InvocationScope): Exports => {
    const keys = ownKeys('exports', call);
    return {
      attachments: attachments(call),
      ...downloads(bucket, keys, call),
      // Browsers and HTTP clients unzip by this header, so a download is the JSON itself.
      put: async (relative, zipped) =>
        requestsOf(call).put(keys.keyOf(relative), zipped, {
          ContentType: 'application/json',
          ContentEncoding: 'gzip',
        }),
    };
  };
}

/** Files that jobs of any organization write. */
export function provideExportFiles(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const bucket = bucketFrom(environment, limits);
  const requestsOf = objectRequests(bucket);
  return (call: InvocationScope) =>
    (organizationId: string): ExportFiles => {
      const keys = objectKeys('exports', organizationId);
      return {
        ...downloads(bucket, keys, call),
        async get(relative) {
          const found = await requestsOf(call).read(keys.keyOf(relative));
          if (found === undefined) {
            throw new Error('A part of an export is gone before its end');
          }
          return found.bytes;
        },
        put: async (relative, zipped, ContentType) =>
          requestsOf(call).put(keys.keyOf(relative), zipped, { ContentType, ContentEncoding: 'gzip' }),
      };
    };
}

/** Deletes objects of any organization, or one version of them. */
export function provideErasure(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const requestsOf = objectRequests(bucketFrom(environment, limits));
  return (call: InvocationScope) =>
    (organizationId: string): Erasure => ({
      remove: async ({ area, key, version }) =>
        requestsOf(call).remove(objectKeys(area, organizationId).keyOf(key), version),
    });
}
