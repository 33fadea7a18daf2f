import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  paginateScan,
  ResourceNotFoundException,
  ScanCommand,
  TransactWriteItemsCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { systemActor } from '../../shared/kernel/actor.ts';
import { chunks } from '../../shared/kernel/chunks.ts';
import { noDeadline } from '../../shared/kernel/deadline.ts';
import { forEachOrThrow } from '../../shared/kernel/for-each-concurrently.ts';
import { consumptionMeter } from '../../shared/kernel/ports.ts';
import { documentClient } from '../../shared/table/dynamodb-client.ts';
import { dynamodbWriter } from '../../shared/table/dynamodb-writes.ts';
import { type Space, tableKeys } from '../../shared/table/key.ts';
import {
  identitySpace,
  organizationSpace,
  platformSpace,
  type SpacePrefix,
} from '../../shared/table/spaces.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import { startDatabase } from '../local/database/database.ts';
import type { Credentials } from '../local/environment.ts';
import { region } from '../local/template/intrinsics.ts';

export interface TableAddress {
  readonly dynamodbEndpoint: string;
  readonly tableName: string;
  /** For a database that checks credentials; the embedded one does not. */
  readonly credentials?: Credentials;
}

/** A table to be loaded with data, outside of any operation. */
export interface LoadedTable extends Disposable {
  organization(organizationId: string): TableWriter;
  readonly identity: TableWriter<'identity'>;
  readonly platform: TableWriter<'platform'>;
  /** The state of the seeding; no operation reads it. */
  readonly seeding: TableWriter;
  isEmpty(): Promise<boolean>;
  /** All rows, as they are stored. */
  rows(): Promise<Row[]>;
  /** Writes rows unchanged, and replaces those with the same keys. */
  write(rows: readonly Row[]): Promise<void>;
}

const waiting = (client: DynamoDBClient) => ({ client, maxWaitTime: 60, minDelay: 1 });

export type Row = Record<string, AttributeValue>;

/** The most writes in a DynamoDB transaction, and how many transactions are under way: one is prepared while others are written. */
const transactions = { rows: 100, width: 3 };

function clientOf({ dynamodbEndpoint, credentials }: Omit<TableAddress, 'tableName'>) {
  return new DynamoDBClient({
    endpoint: dynamodbEndpoint,
    region,
    credentials: credentials ?? { accessKeyId: 'local', secretAccessKey: 'local' },
  });
}

export function openTable({ tableName, ...address }: TableAddress): LoadedTable {
  const client = clientOf(address);
  const connection = { tableName, client: documentClient(client) };
  const writer = <S extends Space>(space: SpacePrefix<S>) =>
    dynamodbWriter<S>(connection, space, {
      caller: undefined,
      organizationId: undefined,
      origin: { actor: systemActor },
      // Records of the past have the times of what happened to them, none later.
      now: new Date(0),
      newId: randomUUID,
      random: Math.random,
      meter: { ...consumptionMeter(), record: () => undefined },
      deadline: noDeadline,
    });
  return {
    organization: (organizationId) => writer(organizationSpace(organizationId)),
    identity: writer(identitySpace),
    platform: writer(platformSpace),
    seeding: writer<'organization'>(['SEEDING']),
    async isEmpty() {
      const { Items = [] } = await client.send(
        new ScanCommand({ TableName: tableName, Limit: 1, ConsistentRead: true }),
      );
      return Items.length === 0;
    },
    async rows() {
      const all: Row[] = [];
      for await (const { Items = [] } of paginateScan(
        { client },
        { TableName: tableName, ConsistentRead: true },
      )) {
        all.push(...Items);
      }
      return all;
    },
    async write(rows) {
      await forEachOrThrow(chunks(rows, transactions.rows), transactions.width, async (some) => {
        const TransactItems = some.map((Item) => ({ Put: { TableName: tableName, Item } }));
        await client.send(new TransactWriteItemsCommand({ TransactItems }));
      });
    },
    [Symbol.dispose]: () => client.destroy(),
  };
}

/** Creates a table with the product's keys but without a stream, and waits until it exists. */
export async function createTable(client: DynamoDBClient, TableName: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName,
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
  await waitUntilTableExists(waiting(client), { TableName });
}

/**
 * Runs `fill` on a temporary table without a stream, and resolves with its rows. The table is in memory, or in the database of
 * `DYNAMODB_ENDPOINT`, through `dynamodbEndpoint` if given. There it replaces a table that an interrupted run has left.
 */
export async function readRowsAfter(
  fill: (table: LoadedTable) => Promise<void>,
  { dynamodbEndpoint, ...rest }: Omit<TableAddress, 'dynamodbEndpoint'> & Partial<TableAddress>,
): Promise<Row[]> {
  const database = await startDatabase(undefined);
  const { tableName } = rest;
  const isOwn = !database.isEmbedded && dynamodbEndpoint !== undefined;
  const address = { ...rest, dynamodbEndpoint: isOwn ? dynamodbEndpoint : database.endpoint };
  const client = clientOf(address);
  const deleteTable = async () => {
    await client.send(new DeleteTableCommand({ TableName: tableName }));
    await waitUntilTableNotExists(waiting(client), { TableName: tableName });
  };
  try {
    await deleteTable().catch((error: unknown) => {
      if (!(error instanceof ResourceNotFoundException)) {
        throw error;
      }
    });
    await createTable(client, tableName);
    using table = openTable(address);
    await fill(table);
    return await table.rows();
  } finally {
    // An error above matters more than a table that is left: the next run deletes that.
    await deleteTable().catch(() => undefined);
    client.destroy();
    await database.stop();
  }
}
