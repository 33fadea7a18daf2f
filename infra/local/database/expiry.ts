import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import type { TablePlan } from '../template/plan.ts';
import type { DatabaseFile } from './database-file.ts';

/** How many keys are read at a time. */
const keysPerLook = 100;

/**
 * Deletes the items of the embedded database whose time to live is over at `now` (milliseconds since 1970). It finds them in the file,
 * because a scan of a table with a hundred thousand contacts would block the database for minutes. Any other DynamoDB does this by itself,
 * within days.
 */
export async function deleteExpiredItems(
  client: DynamoDBClient,
  file: DatabaseFile,
  { name: TableName, KeySchema, TimeToLiveSpecification }: TablePlan,
  now: number,
): Promise<void> {
  const timeAttribute = TimeToLiveSpecification.AttributeName;
  const seconds = Math.floor(now / 1000);
  const expired = {
    tableName: TableName,
    keyAttributes: KeySchema.map(({ AttributeName }) => AttributeName),
    timeAttribute,
    now: seconds,
    most: keysPerLook,
  };
  for (let deleted = -1; deleted !== 0; ) {
    deleted = 0;
    for (const Key of await file.expiredKeys(expired)) {
      const deletion = new DeleteItemCommand({
        TableName,
        Key: Key as Record<string, { S: string }>,
        ConditionExpression: '#ttl < :now',
        ExpressionAttributeNames: { '#ttl': timeAttribute },
        ExpressionAttributeValues: { ':now': { N: String(seconds) } },
      });
      try {
        await client.send(deletion);
        deleted += 1;
      } catch (error) {
        // The item has been written since and is no longer expired.
        if (!(error instanceof ConditionalCheckFailedException)) {
          throw error;
        }
      }
    }
  }
}
