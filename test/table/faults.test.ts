import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { type Deadline, noDeadline } from '../../shared/kernel/deadline.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveHttp } from '../../shared/kernel/serve/serve-http.ts';
import { tableConnection } from '../../shared/ports/table.ts';
import { dynamodbWriter } from '../../shared/table/dynamodb-writes.ts';
import type { Key } from '../../shared/table/key.ts';
import { organizationSpace } from '../../shared/table/spaces.ts';
import { VersionConflict } from '../../shared/table/table.ts';
import { conflict, type Fault } from '../contacts/faulty-table.ts';
import { unhurried } from '../harness/eventually.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { gatewayEvent } from '../harness/gateway.ts';
import { invocationScope } from '../harness/objects.ts';

const product = await setUpProduct();
const faults = setUpFaultyTable();
afterEach(() => faults.clear());

const connection = tableConnection({ TABLE_NAME: product.tableName }, unhurried);
const key: Key<{ text: string }> = { partition: ['THINGS'], sort: ['THING'] };

/** The table as an invocation sees it that has so much time left, and always waits as long as it may between tries. */
const tableWithin = (deadline: Deadline) =>
  dynamodbWriter(connection, organizationSpace('acme'), {
    ...invocationScope('acme'),
    random: () => 0.99,
    deadline,
  });

const busy = { status: 503, retryAfter: 1 };

test('A write in conflict is not tried again when the rest of the time would not do', async () => {
  const table = tableWithin({ left: () => 5 });
  faults.always('TransactWriteItemsCommand', conflict);
  const actions = [table.put(key, { text: 'a' }), table.put({ ...key, sort: ['OTHER'] }, { text: 'b' })];
  await expect(table.commit(actions)).rejects.toMatchObject(busy);
  expect(faults.tries('TransactWriteItemsCommand')).toHaveLength(1);
});

test('A write in conflict is not tried again when the last try took longer than is left', async () => {
  let left = 1_000;
  const table = tableWithin({ left: () => left });
  faults.always('TransactWriteItemsCommand', async (next) => {
    left -= 600;
    return conflict(next);
  });
  const actions = [table.put(key, { text: 'a' }), table.put({ ...key, sort: ['OTHER'] }, { text: 'b' })];
  await expect(table.commit(actions)).rejects.toMatchObject(busy);
  expect(faults.tries('TransactWriteItemsCommand')).toHaveLength(1);
});

test('Reading, deciding and writing again ends when the rest of the time would not do', async () => {
  let attempts = 0;
  const attempt = async () => {
    attempts += 1;
    throw new VersionConflict();
  };
  await expect(tableWithin({ left: () => 4 }).optimistically(attempt)).rejects.toMatchObject(busy);
  expect(attempts).toBe(1);
});

test('After its deadline an invocation neither reads nor writes', async () => {
  const table = tableWithin({ left: () => -1 });
  await expect(table.read(key)).rejects.toMatchObject(busy);
  await expect(table.list({ partition: ['THINGS'] })).rejects.toMatchObject(busy);
  await expect(table.commit([table.put(key, { text: 'late' })])).rejects.toMatchObject(busy);
  await expect(table.update(key, { update: 'SET a = :a', values: { a: 1 } })).rejects.toMatchObject(busy);
  expect(faults.tries('GetItemCommand')).toEqual([]);
  expect(faults.tries('PutItemCommand')).toEqual([]);
  expect(await tableWithin(noDeadline).read(key)).toBeUndefined();
});

test('Work that a client no longer waits for writes nothing', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  faults.next('GetItemCommand', async (next) => {
    await released;
    return next();
  });
  let abandoned: Promise<unknown> | undefined;
  const slow = operation({
    route: 'POST /api/things',
    summary: 'Create a thing',
    family: 'contacts',
    minimumRole: 'anyone',
    output: z.object({}),
    uses: { organizations: 'write' },
    run(_, { organizations }) {
      const table = organizations('acme');
      const work = async () => {
        await table.read(key);
        await table.commit([table.put(key, { text: 'late' })]);
        return {};
      };
      const running = work();
      abandoned = running;
      return running;
    },
  });
  const { statusCode, body } = await serveHttp('create-thing', slow, product.providers, {
    ...systemRuntime,
    log: () => undefined,
  })(gatewayEvent('POST /api/things', {}, undefined), { getRemainingTimeInMillis: () => 600 });
  expect(statusCode).toBe(503);
  expect(JSON.parse(body)).toEqual({
    error: 'Temporarily unavailable',
    message: 'The service is busy. Try again shortly.',
  });
  release();
  await expect(abandoned).rejects.toMatchObject(busy);
  expect(faults.tries('PutItemCommand')).toEqual([]);
});

const keys = Array.from(
  { length: 8 },
  (_, n): Key<{ n: number }> => ({ partition: ['NUMBERS'], sort: [`${n}`] }),
);
await tableWithin(noDeadline).commit(keys.map((one, n) => tableWithin(noDeadline).put(one, { n })));
faults.clear();

const batch = 'BatchGetItemCommand';

interface Batch {
  RequestItems: Record<string, { Keys: Record<'pk' | 'sk', { S: string }>[] }>;
}
interface Answer {
  output: { Responses: Record<string, { sk: string }[]>; UnprocessedKeys: object };
}

/** The database answers this many of the keys at most, and leaves the rest. */
const leavingAllBut =
  (count: number): Fault =>
  async (next, input) => {
    const { RequestItems } = input as unknown as Batch;
    const asked = RequestItems[product.tableName]?.Keys ?? [];
    const answer = (await next()) as Answer;
    const taken = new Set(asked.slice(0, count).map(({ sk }) => sk.S));
    const found = answer.output.Responses[product.tableName] ?? [];
    answer.output.Responses = { [product.tableName]: found.filter(({ sk }) => taken.has(sk)) };
    const left = asked.slice(count).map((key) => unmarshall(key));
    answer.output.UnprocessedKeys = left.length === 0 ? {} : { [product.tableName]: { Keys: left } };
    return answer;
  };

const numbers = async (table = tableWithin(noDeadline)) =>
  (await table.readMany(keys)).map((record) => record?.data.n);

test('Many records are all read when the database leaves keys for later, again and again', async () => {
  faults.next(batch, leavingAllBut(3), leavingAllBut(0), leavingAllBut(2), leavingAllBut(1));
  expect(await numbers()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  const asked = (faults.tries(batch) as unknown as Batch[]).map(
    ({ RequestItems }) => RequestItems[product.tableName]?.Keys.length,
  );
  expect(asked).toEqual([8, 5, 5, 3, 2]);
});

test('Many records of which the database returns none for long are a 503', async () => {
  faults.always(batch, leavingAllBut(0));
  await expect(numbers()).rejects.toMatchObject({ status: 503, cause: { name: 'Unprocessed' } });
  expect(faults.tries(batch)).toHaveLength(10);
});

test('Many records are a 503 as soon as no time is left to ask again', async () => {
  faults.always(batch, leavingAllBut(1));
  await expect(numbers(tableWithin({ left: () => 5 }))).rejects.toMatchObject({ status: 503 });
  expect(faults.tries(batch)).toHaveLength(1);
});
