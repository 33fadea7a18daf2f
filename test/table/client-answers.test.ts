import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { startTestDatabase } from '../harness/database.ts';
import { unhurried } from '../harness/eventually.ts';
import { clients, outcomeOf } from './local-dynamodb.ts';

const database = await startTestDatabase();
const product = clients.product(unhurried, {});
const sdk = clients.sdk(unhurried, {});
afterAll(async () => {
  product.destroy();
  sdk.destroy();
  await database.stop();
});

type Item = Record<string, AttributeValue>;

const bytes = Buffer.from([0, 1, 254, 255, 10, 13]).subarray(1);
/** Every kind of value, at every depth. */
const values: Item = {
  text: { S: 'Grüße, 世界 🙂 "quoted"\n\u2028\\' },
  empty: { S: '' },
  int: { N: '42' },
  negative: { N: '-0.5' },
  huge: { N: '123456789012345678901234567890' },
  tiny: { N: '1E-100' },
  yes: { BOOL: true },
  no: { BOOL: false },
  nothing: { NULL: true },
  bytes: { B: bytes },
  noBytes: { B: new Uint8Array() },
  texts: { SS: ['a', 'b'] },
  numbers: { NS: ['1', '2.5'] },
  byteSets: { BS: [bytes, new Uint8Array([7])] },
  list: { L: [{ S: 'x' }, { B: bytes }, { L: [] }, { M: { B: { S: 'named B' }, in: { B: bytes } } }] },
  map: { M: { B: { B: bytes }, L: { L: [{ BS: [bytes] }] }, M: { M: {} }, S: { S: 'S' } } },
  B: { S: 'an attribute of the name B' },
};

/** Runs the same with each client on partitions of their own, and expects the same of both, which it answers. */
async function same(run: (client: DynamoDBClient, pk: string) => Promise<object>, of: string) {
  const [ours, theirs] = [await outcomeOf(run(product, of)), await outcomeOf(run(sdk, of))];
  expect(ours).toEqual(theirs);
  return ours;
}

const put = (client: DynamoDBClient, pk: string, more: object = {}) =>
  client.send(
    new PutItemCommand({
      TableName: database.tableName,
      Item: { pk: { S: pk }, sk: { S: '1' }, ...values },
      ReturnConsumedCapacity: 'TOTAL',
      ...more,
    }),
  );
const get = (client: DynamoDBClient, pk: string, sk = '1') =>
  client.send(
    new GetItemCommand({
      TableName: database.tableName,
      Key: { pk: { S: pk }, sk: { S: sk } },
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL',
    }),
  );

test('The client of the table returns what the SDK returns for reads of every kind of value that either of them wrote', async () => {
  for (const [pk, writer] of [
    ['product', product],
    ['sdk', sdk],
  ] as const) {
    await put(writer, pk);
    const { answer } = (await same(get, pk)) as { answer: { Item: Item } };
    expect(answer.Item).toMatchObject({
      text: values.text,
      B: values.B,
      bytes: { B: new Uint8Array(bytes) },
    });
    expect(answer.Item.bytes?.B).toBeInstanceOf(Uint8Array);
  }
});

test('The client of the table returns what the SDK returns when there is nothing', async () => {
  expect(await same(get, 'missing')).not.toHaveProperty('answer.Item');
});

test('The client of the table returns what the SDK returns for a put and an update with the values of before and after', async () => {
  await put(sdk, 'old');
  await same((client) => put(client, 'old', { ReturnValues: 'ALL_OLD' }), 'old');
  await same(
    (client, pk) =>
      client.send(
        new UpdateItemCommand({
          TableName: database.tableName,
          Key: { pk: { S: pk }, sk: { S: '1' } },
          UpdateExpression: 'SET n = :n, bin = :b',
          ExpressionAttributeValues: { ':n': { N: '1' }, ':b': { B: bytes } },
          ReturnValues: 'ALL_NEW',
          ReturnConsumedCapacity: 'TOTAL',
        }),
      ),
    'old',
  );
});

test('The client of the table returns what the SDK returns for a scan, with the key at which it continues', async () => {
  await put(sdk, 'scanned');
  const page = (await same(
    (client) =>
      client.send(
        new ScanCommand({
          TableName: database.tableName,
          FilterExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: 'scanned' } },
          ReturnConsumedCapacity: 'TOTAL',
        }),
      ),
    'scanned',
  )) as { answer: { Items: Item[] } };
  expect(page.answer.Items).toMatchObject([{ text: values.text, bytes: { B: new Uint8Array(bytes) } }]);
  const first = await same(
    (client) => client.send(new ScanCommand({ TableName: database.tableName, Limit: 1 })),
    'scanned',
  );
  expect(first).toHaveProperty('answer.LastEvaluatedKey');
});

test('The client of the table returns what the SDK returns for queries, page by page, up to the megabyte of one response', async () => {
  const long = { S: 'x'.repeat(200_000) };
  for (let sk = 0; sk < 7; sk += 1) {
    const Item = { pk: { S: 'pages' }, sk: { S: `${sk}` }, long, bin: { B: bytes } };
    await sdk.send(new PutItemCommand({ TableName: database.tableName, Item }));
  }
  let start: Item | undefined;
  const counts: number[] = [];
  do {
    const page = (await same(
      (client, pk) =>
        client.send(
          new QueryCommand({
            TableName: database.tableName,
            KeyConditionExpression: 'pk = :pk',
            ExpressionAttributeValues: { ':pk': { S: pk } },
            ExclusiveStartKey: start,
            ScanIndexForward: false,
            ReturnConsumedCapacity: 'TOTAL',
          }),
        ),
      'pages',
    )) as { answer: { Items: Item[]; LastEvaluatedKey?: Item } };
    counts.push(page.answer.Items.length);
    start = page.answer.LastEvaluatedKey;
  } while (start !== undefined);
  expect(counts.reduce((sum, count) => sum + count)).toBe(7);
  expect(counts.length).toBeGreaterThan(1);
});

test('The client of the table returns what the SDK returns for reads of many items', async () => {
  await put(sdk, 'many');
  const Keys = ['1', '2'].map((sk) => ({ pk: { S: 'many' }, sk: { S: sk } }));
  const RequestItems = { [database.tableName]: { Keys, ConsistentRead: true } };
  await same(
    (client) => client.send(new BatchGetItemCommand({ RequestItems, ReturnConsumedCapacity: 'TOTAL' })),
    'many',
  );
});

test('The client of the table returns what the SDK returns for a transaction, with a token and without', async () => {
  const Put = { TableName: database.tableName, Item: { pk: { S: 'tx' }, sk: { S: '1' }, ...values } };
  for (const token of [() => ({}), () => ({ ClientRequestToken: randomUUID() })]) {
    const input = { TransactItems: [{ Put }], ReturnConsumedCapacity: 'TOTAL' as const };
    await same((client) => client.send(new TransactWriteItemsCommand({ ...input, ...token() })), 'tx');
  }
  await same(get, 'tx');
});

test('The client of the table returns what the SDK returns when a condition fails, with the item that is there', async () => {
  await put(sdk, 'taken');
  const condition = {
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  const alone = await same((client) => put(client, 'taken', condition), 'taken');
  expect(alone).toMatchObject({ name: 'ConditionalCheckFailedException', Item: { text: values.text } });
  const Put = { TableName: database.tableName, Item: { pk: { S: 'taken' }, sk: { S: '1' } }, ...condition };
  const free = { TableName: database.tableName, Item: { pk: { S: 'free' }, sk: { S: '1' } } };
  const TransactItems = [{ Put: free }, { Put }] as never;
  const together = await same(
    (client) => client.send(new TransactWriteItemsCommand({ TransactItems })),
    'taken',
  );
  expect(together).toMatchObject({
    name: 'TransactionCanceledException',
    CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item: { text: values.text } }],
  });
});

test('The client of the table returns what the SDK returns when a table is missing, a request is wrong, or a token is used for something else', async () => {
  const missing = await same((client) => put(client, 'x', { TableName: 'no-such-table' }), 'x');
  expect(missing).toMatchObject({ name: 'ResourceNotFoundException' });
  const wrong = await same((client) => put(client, 'x', { ConditionExpression: 'what = ' }), 'x');
  expect(wrong).toMatchObject({ name: 'ValidationException' });
  const write = (client: DynamoDBClient, pk: string) =>
    client.send(
      new TransactWriteItemsCommand({
        ClientRequestToken: 'twice',
        TransactItems: [{ Put: { TableName: database.tableName, Item: { pk: { S: pk }, sk: { S: '1' } } } }],
      }),
    );
  await write(sdk, 'one');
  expect(await same(write, 'two')).toMatchObject({ name: 'IdempotentParameterMismatchException' });
});
