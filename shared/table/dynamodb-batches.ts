import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { InvocationScope } from '../kernel/ports.ts';
import { unavailable } from '../kernel/transient-errors.ts';
import { type Backoff, retry } from './backoff.ts';
import { isConflict } from './dynamodb-errors.ts';
import { primaryKeyIn, toItem } from './dynamodb-items.ts';
import { type Connection, meterRequest } from './dynamodb-metering.ts';
import type { Key, Space } from './key.ts';
import type { SpacePrefix } from './spaces.ts';
import type { PutRecord } from './table.ts';

/** Writes that one request takes. Source: DynamoDB quotas. */
const maxWrites = 25;

/** The table leaves writes unprocessed when it is throttled, which lasts longer than a conflict. */
const backoff: Backoff = { attempts: 8, first: 50, longest: 1_000 };

type Writes = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

class UnprocessedWrites extends Error {}

type Scope = Pick<InvocationScope, 'meter' | 'random' | 'deadline' | 'mayWrite' | 'writes'>;

/** Deletes these records of a key space one by one, without a transaction, for half the price. */
export function deleteMany<S extends Space>(
  connection: Connection,
  space: SpacePrefix<S>,
  invocation: Scope,
  keys: readonly Key<unknown, S>[],
): Promise<void> {
  const primaryKey = primaryKeyIn(space);
  const writes = keys.map((key) => ({ DeleteRequest: { Key: primaryKey(key) } }));
  return writeMany(connection, invocation, writes);
}

/** Puts these records of a key space one by one, without a transaction, for half the price. */
export function putMany<S extends Space>(
  connection: Connection,
  space: SpacePrefix<S>,
  invocation: Scope,
  records: readonly PutRecord<S>[],
): Promise<void> {
  const primaryKey = primaryKeyIn(space);
  const writes = records.map(({ key, data, ...options }) => ({
    PutRequest: { Item: toItem(primaryKey(key), data, options) },
  }));
  return writeMany(connection, invocation, writes);
}

async function writeMany(
  { client, tableName }: Connection,
  invocation: Scope,
  writes: Writes,
): Promise<void> {
  const { random, deadline } = invocation;
  for (let start = 0; start < writes.length; start += maxWrites) {
    let left = writes.slice(start, start + maxWrites);
    const attempt = async () => {
      const command = new BatchWriteCommand({
        RequestItems: { [tableName]: left },
        ReturnConsumedCapacity: 'TOTAL',
      });
      const output = await meterRequest(invocation, 'write', 'BatchWriteItem', () => client.send(command));
      left = output.UnprocessedItems?.[tableName] ?? [];
      if (left.length > 0) {
        throw new UnprocessedWrites('BatchWriteItem left writes out');
      }
    };
    await retry({ ...backoff, random, deadline }, attempt, {
      isRetryable: (error) => error instanceof UnprocessedWrites || isConflict(error),
      exhausted: unavailable,
    });
  }
}
