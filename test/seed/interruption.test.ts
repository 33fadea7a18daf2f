import { once } from 'node:events';
import { createServer, request as requestTo, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { newOrganization } from '../../functions/auth/model/new-organization.ts';
import { openTable } from '../../infra/seed/connection.ts';
import { seed } from '../../infra/seed/seed.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { after, day } from '../../shared/kernel/time.ts';
import { organizationKey } from '../../shared/organizations/organization.ts';
import { startTestDatabase, type TestDatabase } from '../harness/database.ts';
import { preparedDemo } from './prepared-demo.ts';
import { type Row, readRows } from './table.ts';

const password = 'switchboard-demo';
const prepared = await preparedDemo();
const { now } = prepared;
const later = after(now, day);
const opened: { stop(): Promise<void> }[] = [];
let database: TestDatabase;
/** The result of a seeding when nothing comes between. */
let expected: Row[];

beforeAll(async () => {
  const undisturbed = await startTestDatabase();
  await seed({ ...addressOf(undisturbed), demo: true, password, prepared });
  expected = await rows(undisturbed);
  await undisturbed.stop();
});

beforeEach(async () => {
  database = await opening(startTestDatabase());
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.stop()));
});

async function opening<One extends { stop(): Promise<void> }>(one: Promise<One>): Promise<One> {
  opened.push(await one);
  return one;
}

const addressOf = ({ endpoint: dynamodbEndpoint, tableName }: TestDatabase) => ({
  dynamodbEndpoint,
  tableName,
});
const rows = (of = database) => readRows(of.endpoint, of.tableName);

/** Salts differ, and so do the ids by which a write knows itself, and the order of changes that were made at once. */
function comparable(all: readonly Row[]): Row[] {
  const rows = all.map(({ writeId: _, ...attributes }) => {
    const row = Object.fromEntries(
      Object.entries(attributes).filter(([name]) => !/^r\d$/.test(name)),
    ) as typeof attributes;
    const data = row.data as Readonly<Record<string, unknown>> | undefined;
    const random = ['passwordHash', 'prefix', 'secrets'].filter((name) => data?.[name] !== undefined);
    return {
      ...row,
      pk: row.pk.replace(/^(IDENTITY#API_KEY#).*/, `$1${data?.apiKeyId}`),
      ...(random.length > 0 && {
        data: { ...data, ...Object.fromEntries(random.map((name) => [name, ''])) },
      }),
    };
  });
  // The table sorts records of secrets by what is random.
  return rows.sort((a, b) => compareText(`${a.pk} ${a.sk}`, `${b.pk} ${b.sk}`));
}

const compareText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

const isWork = ({ pk, sk }: Row) => pk.startsWith('PLATFORM#DUE#') || sk.startsWith('READY#');

/**
 * Passes so many writes on to the database, and all reads, then breaks every connection: what a killed process leaves behind.
 * A busy machine may read more often, but not write less.
 */
async function breakingAfter(writes: number): Promise<{ endpoint: string; stop(): Promise<void> }> {
  let left = writes;
  const proxy: Server = createServer((request, response) => {
    if (/(Put|Update|TransactWrite)Items?$/.test(String(request.headers['x-amz-target']))) {
      left -= 1;
    }
    if (left < 0) {
      request.socket.destroy();
      return;
    }
    const { host: _, ...headers } = request.headers;
    // Not `fetch`, which has the rules of browsers: they keep pages from the port of the database.
    const passed = requestTo(database.endpoint, { method: 'POST', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async stop() {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

test('A second start leaves a seeded table as it is', async () => {
  await seed({ ...addressOf(database), demo: true, password, prepared });
  const before = await rows();

  await seed({ ...addressOf(database), demo: true, password: 'another password', now: later });

  expect(before.length).toBeGreaterThan(2_000);
  expect(await rows()).toEqual(before);
});

/** Begins a seeding that is interrupted after so many writes; resolves with the rows that it leaves. */
async function interrupted(writes: number): Promise<Row[]> {
  const broken = await opening(breakingAfter(writes));
  await expect(
    seed({ ...addressOf(database), dynamodbEndpoint: broken.endpoint, demo: true, password, prepared }),
  ).rejects.toThrow();
  return rows();
}

test.each([{ writes: 1 }, { writes: 3 }, { writes: 20 }])(
  'A seeding that was interrupted after $writes writes is completed by the next start as if nothing had happened',
  async ({ writes }) => {
    const half = await interrupted(writes);
    await seed({ ...addressOf(database), demo: true, password, now: later, prepared });

    expect(half.length).toBeGreaterThan(0);
    expect(half.length).toBeLessThan(expected.length);
    // The host that reads the table meanwhile finds nothing to go on with before all that it needs for it.
    expect(half.filter(isWork)).toEqual([]);
    expect(expected.filter(isWork).length).toBeGreaterThan(10);
    expect(comparable(await rows())).toEqual(comparable(expected));
  },
);

test('After an interruption the password of the start that completes the seeding holds, and is the one that it names', async () => {
  const broken = await opening(breakingAfter(1));
  const address = { ...addressOf(database), dynamodbEndpoint: broken.endpoint };
  await expect(seed({ ...address, demo: false, password: 'another password', now })).rejects.toThrow();

  const seeded = await seed({ ...addressOf(database), demo: false, password, now: later });

  expect(seeded).toMatchObject({ demo: false, hasUsualPassword: true });
});

// What the next start makes anew does not depend on how far the first one came: once is enough of what takes seconds.
test('In a database of your own a start makes the data of an interrupted one anew, in a temporary table, even where that has left its own', async () => {
  await interrupted(1);
  const client = new DynamoDBClient({});
  const TableName = `${database.tableName}-seeding`;
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: [{ AttributeName: 'left', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'left', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  process.env.DYNAMODB_ENDPOINT = database.endpoint;
  try {
    await seed({ ...addressOf(database), demo: true, password, now: later });
  } finally {
    delete process.env.DYNAMODB_ENDPOINT;
  }

  expect(comparable(await rows())).toEqual(comparable(expected));
  expect((await client.send(new ListTablesCommand({}))).TableNames).not.toContain(TableName);
  client.destroy();
});

test('The demo data holds nothing that has expired', () => {
  const expired = expected.filter(({ expiresAt }) => Number(expiresAt) * 1_000 < now.getTime());
  expect(expired).toEqual([]);
});

test('Without demo data there is the superadmin and nobody else', async () => {
  await seed({ ...addressOf(database), demo: false, password, now });

  const users = (await rows()).filter(({ sk }) => sk.startsWith('USER#')).map(({ data }) => data);
  expect(users).toMatchObject([{ email: 'superadmin@example.com', accessRole: 'SUPERADMIN' }]);
  expect((await rows()).filter(({ sk }) => sk === 'CONTACT')).toEqual([]);
});

test('A table with data of another origin is left alone', async () => {
  using table = openTable(addressOf(database));
  const organization = newOrganization(demo.platform, 'Somebody else', now);
  const { add, commit } = table.organization(organization._id);
  await commit([add(organizationKey(), organization)]);
  const before = await rows();

  await seed({ ...addressOf(database), demo: true, password, now });

  expect(before).toHaveLength(1);
  expect(await rows()).toEqual(before);
});

test('A password that nobody could register with is refused with its setting', async () => {
  await expect(seed({ ...addressOf(database), demo: true, password: 'short' })).rejects.toThrow(
    'SEED_PASSWORD) must have at least 8 characters',
  );
  expect(await rows()).toEqual([]);
});
