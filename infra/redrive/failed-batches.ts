import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { Clients, Mapping } from './mappings.ts';

/** The keys of failed batches begin with this. The whole key: `aws/lambda/<mapping>/<shard>/<day>/<time>-<random>`. */
const prefix = 'aws/lambda/';

/** A failed batch, as Lambda writes it. */
interface FailedBatch {
  readonly requestContext?: { readonly functionArn?: string };
  /** The event, as JSON. */
  readonly payload?: string;
}

/**
 * Passes failed batches to their readers again, oldest first, and deletes those that succeed. A batch whose mapping is gone goes to the
 * reader that failed on it.
 * @returns the number of batches that are left.
 */
export async function redriveBatches(
  { lambda, s3 }: Clients,
  mappings: readonly Mapping[],
  say: (line: string) => void,
): Promise<number> {
  const buckets = new Set(
    mappings.flatMap(({ destination }) => (destination?.startsWith('arn:aws') ? [destination] : [])),
  );
  let left = 0;
  for (const bucket of [...buckets].filter((arn) => arn.includes(':s3:')).map(bucketIn)) {
    const keys = await keysIn(s3, bucket);
    if (keys.length === 0) {
      say(`${bucket}: no failed batches`);
    }
    for (const key of keys) {
      const batch = await batchAt(s3, bucket, key);
      if (batch === undefined) {
        say(`${key}: gone meanwhile`);
        continue;
      }
      const reader = readerOf(key, batch, mappings);
      const problem =
        reader === undefined ? 'no function reads its stream' : await problemOf(lambda, reader, batch);
      if (problem === undefined) {
        await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
        say(`${key}: processed`);
      } else {
        left += 1;
        say(`${key}: kept, because ${problem}`);
      }
    }
  }
  return left;
}

const bucketIn = (arn: string) => arn.split(':').at(-1) ?? arn;

/** The keys of the failed batches, in the order in which they failed, across shards. */
async function keysIn(s3: S3Client, Bucket: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: prefix })) {
    keys.push(...Contents.flatMap(({ Key }) => Key ?? []));
  }
  const time = (key: string) => key.split('/').at(-1) ?? '';
  return keys.sort((one, other) => (time(one) < time(other) ? -1 : 1));
}

/** Undefined if it is gone: another run has had it processed, or nothing was left of it without the contacts deleted since. */
async function batchAt(s3: S3Client, Bucket: string, Key: string): Promise<FailedBatch | undefined> {
  try {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    return JSON.parse((await Body?.transformToString()) ?? '{}') as FailedBatch;
  } catch (error) {
    if (error instanceof NoSuchKey) {
      return undefined;
    }
    throw error;
  }
}

function readerOf(
  key: string,
  { requestContext }: FailedBatch,
  mappings: readonly Mapping[],
): string | undefined {
  const [id] = key.slice(prefix.length).split('/');
  // The ARN in the record may name a version of the function.
  const failedOn = requestContext?.functionArn?.split(':').slice(0, 7).join(':');
  const mapping =
    mappings.find((one) => one.id === id) ?? mappings.find((one) => one.functionArn === failedOn);
  return mapping?.functionArn;
}

/** Why the reader fails on the batch; undefined if it succeeds. */
async function problemOf(
  lambda: LambdaClient,
  FunctionName: string,
  { payload }: FailedBatch,
): Promise<string | undefined> {
  if (payload === undefined) {
    return 'it has no records';
  }
  const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName, Payload: payload }));
  const result = JSON.parse(Payload?.transformToString() || 'null') as {
    errorMessage?: string;
    batchItemFailures?: unknown[];
  } | null;
  if (FunctionError !== undefined) {
    return `its reader failed: ${result?.errorMessage ?? FunctionError}`;
  }
  // Records before the first failure have been processed, and can be processed once more.
  return (result?.batchItemFailures?.length ?? 0) > 0 ? 'its reader failed on part of it' : undefined;
}
