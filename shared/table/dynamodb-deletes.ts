import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { InvocationScope } from '../kernel/ports.ts';
import { unavailable } from '../kernel/transient-errors.ts';
import { type Backoff, retry } from './backoff.ts';
import { isConflict } from './dynamodb-errors.ts';
import { primaryKeyIn } from './dynamodb-items.ts';
import { type Connection, meterRequest } from './dynamodb-metering.ts';
import type { Key, Space } from './key.ts';
import type { SpacePrefix } from './spaces.ts';

/** Writes that one request takes. Source: DynamoDB quotas. */
const maxWrites = 25;

/** The table leaves writes unprocessed when it is throttled, which lasts longer than a conflict. */
const backoff: Backoff = { attempts: 8, first: 50, longest: 1_000 };

type Writes = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

class UnprocessedWrites extends Error {}

/** Deletes these records of a key space one by one, without a transaction, for half the price. */
export async function deleteMany<S extends Space>(
  { client, tableName }: Connection,
  space: SpacePrefix<S>,
  invocation: Pick<InvocationScope, 'meter' | 'random' | 'deadline' | 'mayWrite' | 'writes'>,
  keys: readonly Key<unknown, S>[],
): Promise<void> {
  const primaryKey = primaryKeyIn(space);
  const { random, deadline } = invocation;
  for (let start = 0; start < keys.length; start += maxWrites) {
    let left: Writes = keys
      .slice(start, start + maxWrites)
      .map((key) => ({ DeleteRequest: { Key: primaryKey(key) } }));
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
