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

/** Creates the table, or brings an existing one to its plan: indexes, stream and time to live. Keeps its items. */
export async function bringTableToPlan(client: DynamoDBClient, plan: TablePlan): Promise<void> {
  const existing = await describe(client, plan.name);
  if (existing) await update(client, plan, existing);
  else await create(client, plan);
  await bringTimeToLiveToPlan(client, plan);
}

async function describe(client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
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
  if (!isDeepStrictEqual(existing.KeySchema, plan.KeySchema)) {
    throw new Error(
      `The table ${plan.name} in the data directory has other keys than its template: start with --fresh.`,
    );
  }
  const former = new Set((existing.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => IndexName));
  for (const added of plan.GlobalSecondaryIndexes.filter(({ IndexName }) => !former.has(IndexName))) {
    await change(client, plan, { GlobalSecondaryIndexUpdates: [{ Create: index(added) }] });
  }
  for (const { IndexName } of plan.GlobalSecondaryIndexes) former.delete(IndexName);
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
  if (!wanted) return;
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  const enabled = TimeToLiveDescription?.TimeToLiveStatus === 'ENABLED';
  if (enabled === wanted.Enabled) return;
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification: wanted }));
}

async function available(client: DynamoDBClient, TableName: string): Promise<void> {
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName });
}

/** The index as a request takes it: templates may give throughput, which this host has no use for. */
function index({ IndexName, KeySchema, Projection }: TablePlan['GlobalSecondaryIndexes'][number]) {
  return { IndexName, KeySchema, Projection };
}
