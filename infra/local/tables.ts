import { isDeepStrictEqual } from 'node:util';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { TablePlan } from './plan.ts';
import { madeByAnotherVersion } from './unusable-data.ts';

/** Whether the database has one of the tables already. */
export async function hasAnyTable(client: DynamoDBClient, plans: TablePlan[]): Promise<boolean> {
  const existing = await Promise.all(plans.map(({ name }) => describe(client, name)));
  return existing.some((table) => table !== undefined);
}

/**
 * Creates the table, or brings an existing one to its plan: indexes, stream and time to live. Keeps its items. Rejects
 * when its keys are not those of the plan, which can never change; `file` is where the embedded database lies.
 */
export async function bringTableToPlan(
  client: DynamoDBClient,
  plan: TablePlan,
  file: string | undefined,
): Promise<void> {
  const existing = await describe(client, plan.name);
  if (existing && !isDeepStrictEqual(keysOf(existing), keysOf(plan))) {
    if (file !== undefined) {
      throw madeByAnotherVersion(file);
    }
    throw new Error(
      `The table ${plan.name} has other keys than this version of Switchboard: delete it, or choose another database with DYNAMODB_ENDPOINT=.`,
    );
  }
  if (existing) {
    await update(client, plan, existing);
  } else {
    await create(client, plan);
  }
  await bringTimeToLiveToPlan(client, plan);
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

async function describe(client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) {
      return undefined;
    }
    throw error;
  }
}

async function create(client: DynamoDBClient, plan: TablePlan): Promise<void> {
  const { name, GlobalSecondaryIndexes, LocalSecondaryIndexes, StreamSpecification } = plan;
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: plan.KeySchema,
      AttributeDefinitions: plan.AttributeDefinitions,
      ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes: GlobalSecondaryIndexes.map(index) }),
      ...(LocalSecondaryIndexes.length > 0 && { LocalSecondaryIndexes: LocalSecondaryIndexes.map(index) }),
      ...(StreamSpecification && { StreamSpecification: { ...StreamSpecification, StreamEnabled: true } }),
    }),
  );
  await available(client, name);
}

async function update(client: DynamoDBClient, plan: TablePlan, existing: TableDescription): Promise<void> {
  const former = new Set((existing.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => IndexName));
  for (const added of plan.GlobalSecondaryIndexes.filter(({ IndexName }) => !former.has(IndexName))) {
    await change(client, plan, { GlobalSecondaryIndexUpdates: [{ Create: index(added) }] });
  }
  for (const { IndexName } of plan.GlobalSecondaryIndexes) {
    former.delete(IndexName);
  }
  for (const IndexName of former) {
    await change(client, plan, { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName } }] });
  }
  const { StreamSpecification } = plan;
  if (StreamSpecification && !existing.StreamSpecification?.StreamEnabled) {
    await change(client, plan, { StreamSpecification: { ...StreamSpecification, StreamEnabled: true } });
  }
}

async function change(
  client: DynamoDBClient,
  { name, AttributeDefinitions }: TablePlan,
  what: Partial<UpdateTableCommand['input']>,
): Promise<void> {
  await client.send(new UpdateTableCommand({ TableName: name, AttributeDefinitions, ...what }));
  await available(client, name);
}

async function bringTimeToLiveToPlan(client: DynamoDBClient, plan: TablePlan): Promise<void> {
  const { name, TimeToLiveSpecification: wanted } = plan;
  if (!wanted) {
    return;
  }
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  const enabled = TimeToLiveDescription?.TimeToLiveStatus === 'ENABLED';
  if (enabled === wanted.Enabled) {
    return;
  }
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification: wanted }));
}

async function available(client: DynamoDBClient, TableName: string): Promise<void> {
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName });
}

/** The index as a request takes it: templates may give throughput, which this host has no use for. */
function index({ IndexName, KeySchema, Projection }: TablePlan['GlobalSecondaryIndexes'][number]) {
  return { IndexName, KeySchema, Projection };
}
