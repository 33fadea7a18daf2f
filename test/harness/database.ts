import { randomUUID } from 'node:crypto';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Database, startDatabase } from '../../infra/local/database/database.ts';
import { createTable } from '../../infra/seed/connection.ts';

export interface TestDatabase extends Pick<Database, 'endpoint' | 'stop'> {
  tableName: string;
}

/** A database, and how many tables of tests are in it. */
interface Shared {
  readonly database: Promise<Database>;
  readonly startedAt: number;
  tables: number;
}

let shared: Shared | undefined;

const clients = new Map<string, DynamoDBClient>();

/** The client with which the tests of this process read a database: creating one takes longer than most of its requests. */
export function databaseClient(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = clients.get(endpoint) ?? new DynamoDBClient({ endpoint, region: 'local', credentials });
  clients.set(endpoint, client);
  return client;
}

/**
 * Milliseconds after which tests get a new database as soon as nobody uses the old one. For each transaction a database goes through the
 * tokens of all those of the last ten minutes: after 20,000 it takes twice as long as after the first.
 */
const lifetime = 10_000;

/**
 * An empty table in the embedded database, which the test files of a process share: starting one takes longer than most
 * files need for the rest. The table has no stream: nobody reads it here, and it makes every write dearer. Sets the
 * environment by which the SDK finds it. `stop` takes away the table; the database ends with it when it is old, with the process of the
 * tests, or with `stopSharedDatabase`.
 */
export async function startTestDatabase(): Promise<TestDatabase> {
  shared ??= { database: startDatabase(undefined), startedAt: performance.now(), tables: 0 };
  const own = shared;
  own.tables += 1;
  const { endpoint } = await own.database;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  const tableName = `switchboard-${randomUUID()}`;
  const client = databaseClient(endpoint);
  await createTable(client, tableName);
  return {
    endpoint,
    tableName,
    async stop() {
      own.tables -= 1;
      if (own.tables === 0 && performance.now() - own.startedAt > lifetime) {
        await stopSharedDatabase();
      } else {
        await client.send(new DeleteTableCommand({ TableName: tableName }));
      }
    },
  };
}

/** For a program that is to end by itself. */
export async function stopSharedDatabase(): Promise<void> {
  const own = shared;
  shared = undefined;
  const last = await own?.database;
  if (last !== undefined) {
    clients.get(last.endpoint)?.destroy();
    clients.delete(last.endpoint);
    await last.stop();
  }
}
