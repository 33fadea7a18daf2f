import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Interface, type LocalServer, startServer } from '../listening.ts';
import { copyObject, isCopy } from './copy-object.ts';
import { corsHeaders, isPreflight } from './cross-origin.ts';
import { escaped, StoreError } from './errors.ts';
import { requireHeaderAuthorization } from './header-authorization.ts';
import { requireImplemented } from './not-implemented.ts';
import { type Objects, openObjects } from './objects.ts';
import { postObject } from './post-object.ts';
import { isPresigned, requirePresignedUrl } from './presigned-url.ts';
import { putObject } from './put-object.ts';
import { sendObject } from './read-object.ts';
import { type RequestHead, requestHead } from './request-head.ts';
import type { Access } from './signature.ts';
import { type StoreResponse, send } from './store-response.ts';

export interface ObjectStoreOptions {
  /** The folder of the objects; without it they are in a temporary folder that is deleted when the store stops. */
  dir?: string;
  buckets: string[];
  /** 0 takes a free one. */
  port: number;
  /** Only this machine reaches it unless stated. */
  on?: Interface;
  credentials: { accessKeyId: string; secretAccessKey: string };
  region: string;
  clock?: () => Date;
}

/**
 * The part of S3 that the product uses, as strict as S3 about signatures, presigned URLs, the policies of browser uploads, expiry and
 * checksums: what works here works there. A write survives a crash once its response is sent.
 */
export async function startObjectStore(options: ObjectStoreOptions): Promise<LocalServer> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'object-store-')));
  const objects = await openObjects(dir, options.buckets);
  const clock = options.clock ?? (() => new Date());
  const { credentials, region } = options;
  const underWay = new Set<Promise<void>>();

  const server = createServer((request, response) => {
    const handled = handle(request, response, objects, { ...credentials, region, now: clock() });
    underWay.add(handled);
    void handled.finally(() => underWay.delete(handled));
  });
  const { endpoint, stop } = await startServer(server, options.port, options.on);
  return {
    endpoint,
    async stop() {
      await stop();
      await Promise.all(underWay);
      if (options.dir === undefined) {
        await rm(dir, { recursive: true, force: true });
      }
    },
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  objects: Objects,
  access: Access,
): Promise<void> {
  const requestId = randomUUID();
  response.setHeaders(new Map([['x-amz-request-id', requestId], ...corsHeaders(request)]));
  try {
    if (isPreflight(request)) {
      send(response, { status: 200 });
    } else {
      await respond(request, response, objects, access);
    }
  } catch (error) {
    if (response.headersSent || request.errored) {
      response.destroy();
    } else {
      if (!(error instanceof StoreError)) {
        console.error('The object store failed.', error);
      }
      const known = error instanceof StoreError ? error : new StoreError('InternalError');
      const body = request.method === 'HEAD' ? '' : known.toXml(request.url ?? '', requestId);
      send(response, { status: known.status, body });
    }
  }
  request.resume(); // An unread body would block the next request on the connection.
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  objects: Objects,
  access: Access,
): Promise<void> {
  const head = requestHead(request);
  const { bucket, key, method } = head;
  if (isFormUpload(head)) {
    requireBucket(bucket, objects);
    const location = `http://${head.headers.get('host')}${head.path.replace(/\/$/, '')}`;
    send(response, await postObject(request, bucket, location, objects, access));
    return;
  }
  requireSignature(head, access);
  requireBucket(bucket, objects);
  if (isListing(head)) {
    send(response, await listObjects(head, objects));
    return;
  }
  requireImplemented(head);
  if (isCopy(head)) {
    send(response, await copyObject(head, objects, access.now));
  } else if (method === 'PUT') {
    send(response, await putObject(request, head, objects, access.now));
  } else if (method === 'DELETE') {
    await objects.remove(bucket, key, head.query.get('versionId') ?? undefined);
    send(response, { status: 204 });
  } else {
    await sendObject(head, objects, response);
  }
}

function isFormUpload({ method, key, headers }: RequestHead): boolean {
  return method === 'POST' && key === '' && !headers.has('authorization');
}

function requireBucket(bucket: string, objects: Objects): void {
  if (!objects.hasBucket(bucket)) {
    throw new StoreError('NoSuchBucket', { BucketName: bucket });
  }
}

function requireSignature(head: RequestHead, access: Access): void {
  const isInHeader = head.headers.has('authorization');
  const isInQuery = isPresigned(head.query);
  if (isInHeader && isInQuery) {
    throw new StoreError(
      'InvalidArgument',
      {},
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
    );
  }
  if (isInHeader) {
    requireHeaderAuthorization(head, access);
  } else if (isInQuery) {
    requirePresignedUrl(head, access);
  } else {
    throw new StoreError('AccessDenied');
  }
}

/** The query parameters of a listing, which is always a single page. */
const parameters = new Set(['list-type', 'prefix', 'x-id']);

/** Whether the request is ListObjectsV2. */
function isListing({ method, key, query }: RequestHead): boolean {
  return method === 'GET' && key === '' && query.get('list-type') === '2';
}

/** ListObjectsV2: the objects whose keys begin with the prefix, in the order of their keys. */
async function listObjects({ bucket, query }: RequestHead, objects: Objects): Promise<StoreResponse> {
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
