import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import type { TablePlan } from './plan.ts';

/**
 * Deletes the table's items whose time to live is over at `now` (milliseconds since 1970). DynamoDB does this by
 * itself, within days; the embedded database does not.
 */
export async function deleteExpiredItems(
  client: DynamoDBClient,
  plan: TablePlan,
  now: number,
): Promise<void> {
  const { name: TableName, KeySchema, TimeToLiveSpecification } = plan;
  if (!TimeToLiveSpecification?.Enabled) {
    return;
  }
  const keys = Object.fromEntries(KeySchema.map(({ AttributeName }, at) => [`#key${at}`, AttributeName]));
  const expired = {
    ExpressionAttributeNames: { '#ttl': TimeToLiveSpecification.AttributeName },
    ExpressionAttributeValues: { ':now': { N: String(Math.floor(now / 1000)) } },
  };
  const pages = paginateScan(
    { client },
    {
      TableName,
      ProjectionExpression: Object.keys(keys).join(', '),
      FilterExpression: '#ttl < :now',
      ExpressionAttributeNames: { ...expired.ExpressionAttributeNames, ...keys },
      ExpressionAttributeValues: expired.ExpressionAttributeValues,
    },
  );
  for await (const { Items = [] } of pages) {
    for (const Key of Items) {
      const deletion = new DeleteItemCommand({
        TableName,
        Key,
        ConditionExpression: '#ttl < :now',
        ...expired,
      });
      await client.send(deletion).catch((error: unknown) => {
        // Written again since it was read: no longer expired.
        if (!(error instanceof ConditionalCheckFailedException)) {
          throw error;
        }
      });
    }
  }
}
