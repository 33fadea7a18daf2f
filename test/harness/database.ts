import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Database, startDatabase } from '../../infra/local/database.ts';
import { tableKeys } from '../../shared/table/key.ts';

export interface TestDatabase extends Database {
  tableName: string;
}

/**
 * The embedded database with an empty table, without a stream: nobody reads it here, and it makes every write dearer. Sets
 * the environment by which the SDK finds it.
 */
export async function startTestDatabase(): Promise<TestDatabase> {
  const database = await startDatabase(undefined);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  const tableName = 'switchboard';
  const client = new DynamoDBClient({});
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      KeySchema: [
        { AttributeName: tableKeys.partition, KeyType: 'HASH' },
        { AttributeName: tableKeys.sort, KeyType: 'RANGE' },
      ],
      AttributeDefinitions: Object.values(tableKeys).map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  client.destroy();
  return { ...database, tableName };
}
