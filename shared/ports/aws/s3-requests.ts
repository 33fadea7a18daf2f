import type { HeadObjectCommandOutput, PutObjectCommandInput } from '@aws-sdk/client-s3';
import { escapeUriPath } from '@smithy/core/protocols';
import { requireTime } from '../../kernel/deadline.ts';
import type { InvocationScope } from '../../kernel/ports.ts';
import { isTransient, unavailable } from '../../kernel/transient-errors.ts';
import type { Bucket } from './s3-bucket.ts';

export interface StoredObject {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

type Headers = Pick<PutObjectCommandInput, 'ContentType' | 'ContentEncoding'>;

/**
 * Requests about objects, by their full keys. A transient error that does not end with the tries of the SDK becomes a 503; so does a
 * request after the deadline of the invocation. What changes an object waits for `mayWrite`.
 */
export interface ObjectRequests {
  /** Reads the store's description of an object; undefined if it does not exist. */
  find(key: string): Promise<HeadObjectCommandOutput | undefined>;
  /** Undefined if the object does not exist. */
  read(key: string): Promise<StoredObject | undefined>;
  /** The keys that begin like this; only for a bucket that the function may list. */
  list(prefix: string): Promise<string[]>;
  put(key: string, bytes: Uint8Array, headers: Headers): Promise<void>;
  /** Does nothing if the object is not the one with this ETag any more. @throws a 503 while somebody else writes it, too. */
  replace(
    one: { readonly key: string; readonly etag: string },
    bytes: Uint8Array,
    headers: Headers,
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

/** @returns the requests of an invocation. */
export function objectRequests({
  name: Bucket,
  load,
}: Bucket): (invocation: Pick<InvocationScope, 'deadline' | 'mayWrite' | 'writes'>) => ObjectRequests {
  return ({ deadline, mayWrite, writes }) => {
    async function ask<Result>(
      request: (sdk: Awaited<ReturnType<typeof load>>) => Promise<Result>,
    ): Promise<Result> {
      // An object alone is no effect of a request: it counts once a record names it.
      await writes?.before('read');
      requireTime(deadline);
      try {
        return await request(await load());
      } catch (error) {
        throw isTransient(error) ? unavailable(error) : error;
      }
    }

    async function put(Key: string, Body: Uint8Array, more: Partial<PutObjectCommandInput>): Promise<void> {
      await mayWrite;
      await ask(({ client, PutObjectCommand }) =>
        client.send(new PutObjectCommand({ Bucket, Key, Body, ...more })),
      );
    }

    return {
      find: (Key) =>
        ask(({ client, HeadObjectCommand }) => client.send(new HeadObjectCommand({ Bucket, Key }))).catch(
          // The response to a `HEAD` has no body, so there is no code.
          undefinedIf((error) => [403, 404].includes(error.$metadata?.httpStatusCode ?? 0)),
        ),
      read: (Key) =>
        ask(async ({ client, GetObjectCommand }) => {
          const { Body, ETag = '' } = await client.send(new GetObjectCommand({ Bucket, Key }));
          return { bytes: (await Body?.transformToByteArray()) ?? new Uint8Array(), etag: ETag };
        }).catch(undefinedIf(isMissing)),
      list: (Prefix) =>
        ask(async ({ client, paginateListObjectsV2 }) => {
          const keys: string[] = [];
          for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
            keys.push(...Contents.flatMap(({ Key }) => Key ?? []));
          }
          return keys;
        }),
      put,
      replace: ({ key, etag }, bytes, headers) =>
        put(key, bytes, { ...headers, IfMatch: etag }).catch(
          // Who replaces objects may also list the bucket, so a missing object is a 404 here, and a 403 is a defect.
          undefinedIf(({ name }) => name === 'NoSuchKey' || name === 'PreconditionFailed'),
        ),
      async copy({ key, etag }, to) {
        await mayWrite;
        const CopySource = `${Bucket}/${escapeUriPath(key)}`;
        const copied = await ask(({ client, CopyObjectCommand }) =>
          client.send(new CopyObjectCommand({ Bucket, Key: to, CopySource, CopySourceIfMatch: etag })),
        ).catch(undefinedIf((error) => isMissing(error) || error.name === 'PreconditionFailed'));
        return copied && { version: copied.VersionId };
      },
      async remove(Key, VersionId) {
        await mayWrite;
        await ask(({ client, DeleteObjectCommand }) =>
          Promise.all([
            client.send(new DeleteObjectCommand({ Bucket, Key })),
            ...(VersionId === undefined
              ? []
              : [client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))]),
          ]),
        );
      },
    };
  };
}

type StoreError = Error & { readonly $metadata?: { readonly httpStatusCode?: number } };

/** @throws every other error. */
function undefinedIf(isExpected: (error: StoreError) => boolean): (error: StoreError) => undefined {
  return (error) => {
    if (isExpected(error)) {
      return undefined;
    }
    throw error;
  };
}

/**
 * Without permission to list the bucket, S3 responds 403 for a missing object. No role here may list the bucket of the organizations: the
 * condition `s3:prefix` does not apply to requests about one object, so granting it would show every organization's keys. A refused
 * signature has another code.
 */
const isMissing = ({ name }: Error) => name === 'NoSuchKey' || name === 'AccessDenied';
