import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { type Database, startDatabase } from '../../infra/local/database.ts';
import { resourceOfType } from './assembly.ts';

export interface TestDatabase extends Database {
  tableName: string;
}

/** What of the template makes an empty table. Not its stream: nobody reads it here, and it makes every write dearer. */
const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const TableProperties = z.object({
  KeySchema: keySchema,
  AttributeDefinitions: z.array(
    z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
  ),
});

/** The embedded database with an empty table, as the template has it. Sets the environment by which the SDK finds it. */
export async function startTestDatabase(): Promise<TestDatabase> {
  const properties = TableProperties.parse(await resourceOfType('AWS::DynamoDB::Table'));
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
      ...properties,
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  client.destroy();
  return { ...database, tableName };
}
