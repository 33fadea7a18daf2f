import { isDeepStrictEqual } from 'node:util';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { madeByAnotherVersion } from '../data/unusable-data.ts';
import type { TablePlan } from '../template/plan.ts';
import { indexExpiry } from './expiry-index.ts';

/** The table of this name, if the database has it already. */
export async function existingTable(
  client: DynamoDBClient,
  TableName: string,
): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) {
      return undefined;
    }
    throw error;
  }
}

/**
 * Creates the table, or keeps an existing one with its items. Rejects when its keys are not those of the plan, which can
 * never change; `file` is where the embedded database lies.
 */
export async function provideTable(
  client: DynamoDBClient,
  plan: TablePlan,
  file: string | undefined,
): Promise<void> {
  const { name: TableName, KeySchema, AttributeDefinitions, StreamSpecification } = plan;
  const existing = await existingTable(client, TableName);
  if (existing === undefined) {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema,
        AttributeDefinitions,
        StreamSpecification: { ...StreamSpecification, StreamEnabled: true },
      }),
    );
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName });
  } else if (!isDeepStrictEqual(keysOf(existing), keysOf(plan))) {
    if (file !== undefined) {
      throw madeByAnotherVersion(file);
    }
    throw new Error(
      `The keys of the table ${TableName} are not those of this version of Switchboard: delete the table, or choose another database with DYNAMODB_ENDPOINT=.`,
    );
  }
  await provideTimeToLive(client, plan);
  if (file !== undefined) {
    indexExpiry(file, plan);
  }
}

/** The attributes that make up a table's keys: name, role and type of each. */
function keysOf({
  KeySchema = [],
  AttributeDefinitions = [],
}: Pick<TableDescription, 'KeySchema' | 'AttributeDefinitions'>) {
  return KeySchema.map(({ AttributeName: name, KeyType: role }) => ({
    name,
    role,
    type: AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType,
  }));
}

/** A start can have ended between the two. */
async function provideTimeToLive(
  client: DynamoDBClient,
  { name: TableName, TimeToLiveSpecification }: TablePlan,
): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (TimeToLiveDescription?.TimeToLiveStatus !== 'ENABLED') {
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }
}
