import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { escapeUriPath, HttpRequest } from '@smithy/core/protocols';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { requireTime } from '../../kernel/deadline.ts';
import type { InvocationScope } from '../../kernel/ports.ts';
import { isTransient, unavailable } from '../../kernel/transient-errors.ts';
import { type Retries, retried } from '../../table/backoff.ts';
import type { ClientLimits } from './client-limits.ts';
import { type Bucket, objectRequest, type RequestParts } from './s3-bucket.ts';

export interface StoredObject {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/** Requests about objects, by their full keys. Transient errors are retried, then a 503, as after the deadline of the invocation. */
export interface ObjectRequests {
  /** Undefined if the object does not exist; `HEAD` has no bytes. An empty key with a query asks for something of the bucket itself. */
  read(
    method: 'GET' | 'HEAD',
    key: string,
    query?: Record<string, string>,
  ): Promise<StoredObject | undefined>;
  put(key: string, bytes: Uint8Array, headers: Record<string, string>): Promise<void>;
  /** Does nothing if the object is not the one with this ETag any more. */
  replace(
    one: { readonly key: string; readonly etag: string },
    bytes: Uint8Array,
    headers: Record<string, string>,
  ): Promise<void>;
  /**
   * Copies an object with its type, if it still is the one with this ETag; undefined otherwise.
   * @returns the version of the copy, if the bucket keeps versions.
   */
  copy(
    from: { readonly key: string; readonly etag: string },
    to: string,
  ): Promise<{ readonly version: string | undefined } | undefined>;
  /**
   * Does nothing if the object, or the version, does not exist. A version is deleted for good. Others of the object end with it: a
   * write that was repeated, because its response was lost, has made more than one, and the one before must not appear again.
   */
  remove(key: string, version?: string): Promise<void>;
}

/** @returns the requests of an invocation, which share the connections of the process. What changes an object waits for `mayWrite`. */
export function objectRequests(
  bucket: Bucket,
  { maxAttempts, requestHandler }: ClientLimits,
): (invocation: Pick<InvocationScope, 'deadline' | 'mayWrite'>) => ObjectRequests {
  let handler: Promise<NodeHttpHandler> | undefined;

  /** Loaded late: most functions that may ask for objects seldom do. */
  async function newHandler(): Promise<NodeHttpHandler> {
    const { NodeHttpHandler } = await import('@smithy/node-http-handler');
    // The request's timeout ends with the head of the response; the socket's timeout covers the rest.
    return new NodeHttpHandler(
      requestHandler && { ...requestHandler, socketTimeout: requestHandler.requestTimeout },
    );
  }

  async function attempt(method: string, key: string, parts: RequestParts): Promise<StoredObject> {
    const signed = await bucket.signer.sign(objectRequest(bucket, method, key, parts));
    handler ??= newHandler();
    const { response } = await (await handler).handle(new HttpRequest(signed));
    const { statusCode, headers } = response;
    const bytes = await buffer(response.body);
    // S3 may begin the response to a copy with 200 before the copy is done, and then tell an error in its body.
    const isFailedCopy = parts.headers?.[copySource] && bytes.includes('<Error>');
    const status = statusCode < 300 && isFailedCopy ? 503 : statusCode;
    if (status >= 300) {
      throw new Refusal(`${method} ${key}`, status, bytes.toString(), headers['x-amz-request-id']);
    }
    return { headers, bytes };
  }

  return ({ deadline, mayWrite }) => {
    const { random } = Math;
    const retries: Retries = { attempts: maxAttempts, first: 100, longest: 400, random, deadline };

    function send(method: string, key: string, parts: RequestParts = {}): Promise<StoredObject> {
      const inTime = async () => {
        if (method !== 'GET' && method !== 'HEAD') {
          await mayWrite;
        }
        requireTime(deadline);
        return attempt(method, key, parts);
      };
      return retried(retries, inTime, { isRetryable: isTransient, exhausted: unavailable });
    }

    async function put(key: string, bytes: Uint8Array, headers: Record<string, string>): Promise<void> {
      const digest = createHash('sha256').update(bytes).digest();
      await send('PUT', key, {
        body: bytes,
        headers: {
          ...headers,
          'content-length': String(bytes.byteLength),
          // The first is part of the signature, the second is kept with the object: both detect bytes that changed on the way.
          'x-amz-content-sha256': digest.toString('hex'),
          'x-amz-checksum-sha256': digest.toString('base64'),
        },
      });
    }

    return {
      read: (method, key, query = {}) =>
        send(method, key, { query }).catch((error: unknown) => {
          if (isMissing(error, method)) {
            return undefined;
          }
          throw error;
        }),
      put,
      replace: ({ key, etag }, bytes, headers) =>
        put(key, bytes, { ...headers, 'if-match': etag }).catch((error: unknown) => {
          // Who replaces objects may also list the bucket, so a missing object is a 404 here, and a 403 is a defect.
          const isGone = error instanceof Refusal && error.name === 'NoSuchKey';
          if (!isGone && !isAnother(error)) {
            throw error;
          }
        }),
      async copy({ key, etag }, to) {
        const headers = {
          'content-length': '0',
          [copySource]: `${bucket.name}/${escapeUriPath(key)}`,
          'x-amz-copy-source-if-match': etag,
        };
        const copied = await send('PUT', to, { headers }).catch((error: unknown) => {
          if (isMissing(error, 'GET') || isAnother(error)) {
            return undefined;
          }
          throw error;
        });
        return copied && { version: copied.headers['x-amz-version-id'] };
      },
      async remove(key, version) {
        await Promise.all([
          send('DELETE', key),
          ...(version === undefined ? [] : [send('DELETE', key, { query: { versionId: version } })]),
        ]);
      },
    };
  };
}

/** The header of a copy. */
const copySource = 'x-amz-copy-source';

/** An unsuccessful response of S3, named by its error code. */
class Refusal extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(request: string, httpStatusCode: number, xml: string, requestId = 'unknown') {
    const text = (tag: string) => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
    const code = text('Code') ?? 'no code';
    super(
      `${request}: S3 responded ${httpStatusCode} ${code}, ${text('Message') ?? ''} (request ${requestId})`,
    );
    this.name = code;
    this.$metadata = { httpStatusCode };
  }
}

/** Whether the object is not the one that a condition names. */
const isAnother = (error: unknown) => error instanceof Refusal && error.name === 'PreconditionFailed';

/** The error code for a missing object, by status. */
const missingCodes: Readonly<Record<number, string>> = { 403: 'AccessDenied', 404: 'NoSuchKey' };

/**
 * Without permission to list the bucket, S3 responds 403 for a missing object. No role here may list the bucket of the organizations: the
 * condition `s3:prefix` does not apply to requests about one object, so granting it would show every organization's keys. A refused
 * signature has another code; only a response to `HEAD`, which has no body, shows no code.
 */
function isMissing(error: unknown, method: 'GET' | 'HEAD'): boolean {
  if (!(error instanceof Refusal)) {
    return false;
  }
  const code = missingCodes[error.$metadata.httpStatusCode];
  return code !== undefined && (method === 'HEAD' || error.name === code);
}
