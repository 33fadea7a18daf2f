import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BatchWriteItemCommand, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, startDatabase } from '../../infra/local/database/database.ts';
import { openDatabaseFile } from '../../infra/local/database/database-file.ts';
import { deleteExpiredItems } from '../../infra/local/database/expiry.ts';
import { expiredKeys, expiredKeysQuery, indexExpiry } from '../../infra/local/database/expiry-index.ts';
import { provideTable } from '../../infra/local/database/tables.ts';
import type { TablePlan } from '../../infra/local/template/plan.ts';
import { startFixture } from './fixture/running.ts';

const now = Date.parse('2030-01-01T00:00:00Z');
const seconds = (offset: number) => ({ N: String(now / 1000 + offset) });
const never = new AbortController().signal;

let directory: string;
let path: string;
let database: Database;
let client: DynamoDBClient;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'expiry-'));
  path = join(directory, 'database.sqlite');
  database = await startDatabase(path);
  client = new DynamoDBClient({
    endpoint: database.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
});
afterAll(async () => {
  client.destroy();
  await database.stop();
  await rm(directory, { recursive: true, force: true });
});

/** An empty table; its sort key is a number. */
async function newTable(name: string): Promise<TablePlan> {
  const plan: TablePlan = {
    name,
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'at', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'at', AttributeType: 'N' },
    ],
    StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
    TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
  };
  await provideTable(client, plan, path);
  return plan;
}

type Attributes = Record<string, { S: string } | { N: string }>;

async function put({ name }: TablePlan, pk: string, attributes: Attributes = {}): Promise<void> {
  const Item = { pk: { S: pk }, at: { N: '1.50' }, ...attributes };
  await client.send(new PutItemCommand({ TableName: name, Item }));
}

async function left({ name }: TablePlan): Promise<(string | undefined)[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: name }));
  return Items.map(({ pk }) => pk?.S).sort();
}

async function expire(plan: TablePlan, at = now): Promise<void> {
  await using file = openDatabaseFile(path, never);
  await deleteExpiredItems(client, file, plan, at);
}

test('Items whose time is over are deleted, and no others', async () => {
  const plan = await newTable('some');
  await put(plan, 'old', { expires: seconds(-1) });
  await put(plan, 'it\'s "ancient" 🦖', { expires: { N: '-7e2' } });
  await put(plan, 'of this second', { expires: seconds(0) });
  await put(plan, 'young', { expires: seconds(500) });
  await put(plan, 'far away', { expires: { N: '1e30' } });
  await put(plan, 'with a text for a time', { expires: { S: '1' } });
  await put(plan, 'eternal');
  await expire(plan);
  expect(await left(plan)).toEqual([
    'eternal',
    'far away',
    'of this second',
    'with a text for a time',
    'young',
  ]);

  await expire(plan, now + 1_000);
  expect(await left(plan)).toEqual(['eternal', 'far away', 'with a text for a time', 'young']);
});

test('More expired items than are looked up at a time are all deleted', async () => {
  const plan = await newTable('many');
  for (let start = 0; start < 125; start += 25) {
    const puts = Array.from({ length: 25 }, (_, at) => ({
      PutRequest: { Item: { pk: { S: `old ${start + at}` }, at: { N: '1' }, expires: seconds(-1) } },
    }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [plan.name]: puts } }));
  }
  await put(plan, 'young', { expires: seconds(1) });
  await expire(plan);
  expect(await left(plan)).toEqual(['young']);
});

test('An item that gets more time after it was found expired stays', async () => {
  const plan = await newTable('renewed');
  await put(plan, 'renewed', { expires: seconds(-1) });
  await put(plan, 'old', { expires: seconds(-1) });
  await using file = openDatabaseFile(path, never);
  const slow = {
    ...file,
    async expiredKeys(items: Parameters<typeof file.expiredKeys>[0]) {
      const keys = await file.expiredKeys(items);
      await put(plan, 'renewed', { expires: seconds(500) });
      return keys;
    },
  };
  await deleteExpiredItems(client, slow, plan, now);
  expect(await left(plan)).toEqual(['renewed']);
});

test('The table is not read through for its expired items', async () => {
  const plan = await newTable('indexed');
  await put(plan, 'old', { expires: seconds(-1) });
  using file = new DatabaseSync(path, { readOnly: true });
  const query = expiredKeysQuery({
    tableName: plan.name,
    keyAttributes: ['pk', 'at'],
    timeAttribute: 'expires',
  });
  const steps = file.prepare(`EXPLAIN QUERY PLAN ${query}`).all(0, 1);
  expect(steps.map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^SEARCH indexed USING INDEX expiry expires indexed /),
  ]);
});

test('A table that a former version has filled is indexed by the next start', async () => {
  const plan = await newTable('former');
  {
    using file = new DatabaseSync(path);
    file.exec('DROP INDEX "expiry expires former"');
  }
  await put(plan, 'old', { expires: seconds(-1) });
  await expire(plan);
  expect(await left(plan)).toEqual([]);

  await put(plan, 'old', { expires: seconds(-1) });
  await put(plan, 'young', { expires: seconds(1) });
  await provideTable(client, plan, path);
  await expire(plan);
  expect(await left(plan)).toEqual(['young']);
  using file = new DatabaseSync(path, { readOnly: true });
  const index = file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'expiry expires former'").all();
  expect(index).toHaveLength(1);
});

test('The file of a database with other tables is left alone', () => {
  const other = join(directory, 'other.sqlite');
  using file = new DatabaseSync(other);
  file.exec("CREATE TABLE things (pk TEXT, json BLOB); INSERT INTO things VALUES ('a', '{}')");
  const plan = { name: 'things', TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true } };
  indexExpiry(other, plan as TablePlan);
  expect(file.prepare("SELECT name FROM sqlite_schema WHERE type = 'index'").all()).toEqual([]);
  const wanted = { tableName: 'things', keyAttributes: ['pk'], timeAttribute: 'expires', now, most: 10 };
  expect(expiredKeys(file, wanted)).toEqual([]);
  expect(expiredKeys(file, { ...wanted, tableName: 'missing' })).toEqual([]);
});

test('What is wrong with the file is said, and the next attempt may succeed', async () => {
  const plan = await newTable('unreadable');
  await put(plan, 'old', { expires: seconds(-1) });
  await using missing = openDatabaseFile(join(directory, 'missing.sqlite'), never);
  await expect(deleteExpiredItems(client, missing, plan, now)).rejects.toThrow(
    /unable to open database file/,
  );
  await expire(plan);
  expect(await left(plan)).toEqual([]);
});

test('Nothing is waited for once the host stops', async () => {
  const stopping = new AbortController();
  await using file = openDatabaseFile(path, stopping.signal);
  const found = file.expiredKeys({ tableName: 'x', keyAttributes: ['pk'], timeAttribute: 'e', now, most: 1 });
  stopping.abort();
  await expect(found).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
});

test('A host forgets what has expired on disk; in memory, where nothing lasts, it lets it be', async () => {
  for (const dataDir of [join(directory, 'data'), undefined]) {
    const running = await startFixture(dataDir === undefined ? {} : { dataDir });
    await running.put('old', { expires: seconds(-1) });
    await running.put('eternal');
    await running.host.tidy(now);
    expect(await running.read('eternal')).toBeDefined();
    expect((await running.read('old')) === undefined).toBe(dataDir !== undefined);
    expect(running.lines.filter((line) => line.includes('tidied'))).toEqual([]);
    await running.stop();
  }
});
