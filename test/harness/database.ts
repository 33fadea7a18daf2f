import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Database, startDatabase } from '../../infra/local/database.ts';
import { bringTableToPlan } from '../../infra/local/tables.ts';
import { lookUpIndex } from '../../shared/table/dynamodb-reads.ts';

export interface TestDatabase extends Database {
  tableName: string;
}

/** The embedded database with an empty table. Sets the environment by which the SDK finds it. */
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
  await bringTableToPlan(client, {
    logicalId: 'Table',
    name: tableName,
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: ['pk', 'sk', lookUpIndex.partition].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S' as const,
    })),
    GlobalSecondaryIndexes: [
      {
        IndexName: lookUpIndex.name,
        KeySchema: [{ AttributeName: lookUpIndex.partition, KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
    LocalSecondaryIndexes: [],
  });
  client.destroy();
  return { ...database, tableName };
}
