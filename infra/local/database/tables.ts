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

/** The table with this name; undefined if the database does not have it yet. */
export async function findTable(
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
 * Creates the table, or keeps an existing one with its items. Rejects when the keys of the existing one differ from those of the plan: keys
 * can never change. `file` is the file of the embedded database.
 */
export async function provideTable(
  client: DynamoDBClient,
  plan: TablePlan,
  file: string | undefined,
): Promise<void> {
  const { name: TableName, KeySchema, AttributeDefinitions, StreamSpecification } = plan;
  const existing = await findTable(client, TableName);
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
}

/** The name, role and type of each attribute in the keys of a table. */
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

/** Also for an existing table, because an earlier start may have ended right after creating it. */
async function provideTimeToLive(
  client: DynamoDBClient,
  { name: TableName, TimeToLiveSpecification }: TablePlan,
): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (TimeToLiveDescription?.TimeToLiveStatus !== 'ENABLED') {
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }
}
