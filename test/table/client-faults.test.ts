import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import type { ClientLimits } from '../../shared/ports/aws/client-limits.ts';
import {
  clients,
  json,
  type LocalDynamodb,
  localDynamodb,
  outcomeOf,
  type Reply,
  refusal,
} from './local-dynamodb.ts';

const tries: ClientLimits = { maxAttempts: 3 };
const get = (client: DynamoDBClient) =>
  client.send(new GetItemCommand({ TableName: 't', Key: { pk: { S: 'a' } } }));

/** What each client makes of these replies, and how many requests it took. */
async function outcomes(replies: readonly Reply[], limits = tries) {
  const [ours, theirs] = await Promise.all(
    [clients.product, clients.sdk].map(async (make) => {
      await using server = await localDynamodb(...replies);
      const client = make(limits, server.location);
      const outcome = await outcomeOf(get(client));
      client.destroy();
      return { outcome, requests: server.received.length };
    }),
  );
  return { ours, theirs };
}

const found = json(200, { Item: { pk: { S: 'a' } } });
const hangUp: Reply = (response) => response.destroy();
const halfAnAnswer: Reply = (response) => {
  response.writeHead(200, { 'content-length': 100 }).write('{"Item":');
  setImmediate(() => response.destroy());
};

test.each<[string, number, Reply[]]>([
  ['throttling', 3, [refusal(400, 'ProvisionedThroughputExceededException')]],
  ['throttling of the account', 3, [refusal(400, 'ThrottlingException')]],
  ['too many requests', 3, [refusal(400, 'RequestLimitExceeded')]],
  ['an internal error', 3, [refusal(500, 'InternalServerError')]],
  ['an error that nobody knows', 1, [refusal(400, 'NeverHeardOfException', { Detail: 1 })]],
  ['a wrong request', 1, [refusal(400, 'ValidationException')]],
  ['a missing table', 1, [refusal(400, 'ResourceNotFoundException')]],
  ['expired credentials', 1, [refusal(400, 'ExpiredTokenException')]],
  ['a conflict of transactions', 1, [refusal(400, 'TransactionConflictException')]],
  [
    'a failed condition',
    1,
    [refusal(400, 'ConditionalCheckFailedException', { Item: { a: { B: 'AAE=' }, n: { N: '1' } } })],
  ],
  [
    'a cancelled transaction',
    1,
    [
      refusal(400, 'TransactionCanceledException', {
        CancellationReasons: [
          { Code: 'None' },
          { Code: 'ConditionalCheckFailed', Item: { a: { B: 'AAE=' } } },
        ],
      }),
    ],
  ],
  ['a page of a proxy', 3, [json(503, '<html>Busy</html>')]],
  ['nothing but a status', 3, [json(502, '')]],
  ['an error without a name', 3, [json(500, {})]],
  ['a page in place of an answer', 1, [json(200, '<html>Welcome</html>')]],
  ['no answer at all', 1, [json(200, '')]],
  ['an answer that is a list', 1, [json(200, '[]')]],
  ['half an answer, then the whole', 2, [halfAnAnswer, found]],
  ['a lost connection, then an answer', 2, [hangUp, found]],
  ['a lost connection every time', 3, [hangUp]],
  ['throttling, then an answer', 2, [refusal(400, 'ThrottlingException'), found]],
  ['a fault, then another, then an answer', 3, [refusal(500, 'InternalServerError'), hangUp, found]],
])('The client of the table meets a fault as the SDK does %s, after %i', async (_, requests, replies) => {
  const { ours, theirs } = await outcomes(replies);
  expect(ours).toEqual(theirs);
  expect(ours?.requests).toBe(requests);
});

test('The client of the table meets a fault as the SDK does, and pauses before it tries again', async () => {
  await using server = await localDynamodb(refusal(400, 'ThrottlingException'));
  const client = clients.product(tries, server.location);
  const { $metadata } = await get(client).then(
    () => expect.unreachable(),
    (error: { $metadata: { attempts: number; totalRetryDelay: number } }) => error,
  );
  expect($metadata).toMatchObject({ attempts: 3, totalRetryDelay: expect.any(Number) });
  client.destroy();
});

test('The client of the table meets a fault that passes while it waits for a connection that is kept as the SDK does', async () => {
  await using server = await localDynamodb(found, hangUp, found);
  const client = clients.product(tries, server.location);
  await get(client);
  expect(await get(client)).toMatchObject({ Item: { pk: { S: 'a' } }, $metadata: { attempts: 2 } });
  client.destroy();
});

test('The client of the table meets the refusal of a connection as the SDK does', async () => {
  let server: LocalDynamodb;
  {
    await using gone = await localDynamodb();
    server = gone;
  }
  for (const make of [clients.product, clients.sdk]) {
    const outcome = await outcomeOf(get(make({ maxAttempts: 2 }, server.location)));
    expect(outcome).toMatchObject({ code: 'ECONNREFUSED', name: 'Error', $metadata: { attempts: 2 } });
  }
});

test('The client of the table meets an endpoint that wants a secure connection and does not speak TLS as the SDK does', async () => {
  await using server = await localDynamodb(found);
  const endpoint = String(server.location.endpoint).replace('http:', 'https:');
  const [ours, theirs] = await Promise.all(
    [clients.product, clients.sdk].map((make) =>
      outcomeOf(get(make({ maxAttempts: 1 }, { ...server.location, endpoint }))),
    ),
  );
  expect(ours).toMatchObject({ code: expect.stringMatching(/^(EPROTO|ERR_SSL_)/) });
  expect({ ...ours, message: '' }).toEqual({ ...theirs, message: '' });
});
