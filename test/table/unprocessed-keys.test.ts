import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterEach, expect, test } from 'vitest';
import { noDeadline } from '../../shared/kernel/deadline.ts';
import { tableConnection } from '../../shared/ports/table.ts';
import { dynamodbWriter } from '../../shared/table/dynamodb-writes.ts';
import type { Key } from '../../shared/table/key.ts';
import { organizationSpace } from '../../shared/table/spaces.ts';
import type { Fault } from '../contacts/faulty-table.ts';
import { unhurried } from '../harness/eventually.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { scopeOf } from '../harness/objects.ts';

const product = await setUpProduct();
const faults = setUpFaultyTable();
afterEach(() => faults.clear());

const connection = tableConnection({ TABLE_NAME: product.tableName }, unhurried);
const tableWithin = (deadline = noDeadline) =>
  dynamodbWriter(connection, organizationSpace('acme'), { ...scopeOf('acme'), random: () => 0.99, deadline });
const keys = Array.from(
  { length: 8 },
  (_, n): Key<{ n: number }> => ({ partition: ['NUMBERS'], sort: [`${n}`] }),
);
const table = tableWithin();
await table.commit(keys.map((key, n) => table.put(key, { n })));

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

const numbers = async (one = table) => (await one.readMany(keys)).map((record) => record?.data.n);

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
