import { randomUUID } from 'node:crypto';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Database, startDatabase } from '../../infra/local/database/database.ts';
import { createTable } from '../../infra/local/seed/connection.ts';

export interface TestDatabase extends Pick<Database, 'endpoint' | 'stop'> {
  tableName: string;
}

let shared: Promise<Database> | undefined;

/**
 * An empty table in the embedded database, which the test files of a process share: starting one takes longer than most
 * files need for the rest. The table has no stream: nobody reads it here, and it makes every write dearer. Sets the
 * environment by which the SDK finds it. `stop` takes away the table; the database ends with the process of the tests, or with
 * `stopSharedDatabase`.
 */
export async function startTestDatabase(): Promise<TestDatabase> {
  shared ??= startDatabase(undefined);
  const { endpoint } = await shared;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  const tableName = `switchboard-${randomUUID()}`;
  const client = new DynamoDBClient({});
  await createTable(client, tableName);
  return {
    endpoint,
    tableName,
    async stop() {
      await client.send(new DeleteTableCommand({ TableName: tableName }));
      client.destroy();
    },
  };
}

/** For a program that is to end by itself. */
export async function stopSharedDatabase(): Promise<void> {
  await (await shared)?.stop();
  shared = undefined;
}
