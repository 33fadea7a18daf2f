import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { type StreamRequests, streamRequests } from '../../infra/local/stream/stream-requests.ts';

const credentials = { accessKeyId: 'key-id', secretAccessKey: 'secret' };
const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) {
    close();
  }
});

interface Seen {
  path: string | undefined;
  headers: IncomingMessage['headers'];
  body: unknown;
}

/** A database that gives these answers, one after the other. */
async function database(
  ...answers: [status: number, body: unknown][]
): Promise<{ streams: StreamRequests; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    seen.push({ path: request.url, headers: request.headers, body: JSON.parse(await text(request)) });
    const [status, body] = answers.shift() ?? [500, 'Nothing was expected'];
    response.statusCode = status;
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const streams = streamRequests(`http://127.0.0.1:${port}/local`, credentials);
  opened.push(
    () => streams.close(),
    () => server.close(),
  );
  return { streams, seen };
}

test('Requests are those of the service, signed with the credentials of the database', async () => {
  const { streams, seen } = await database([200, { Streams: [] }]);
  expect(await streams.shards('table')).toEqual([]);
  expect(seen).toEqual([
    {
      path: '/local',
      body: { TableName: 'table' },
      headers: expect.objectContaining({
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'DynamoDBStreams_20120810.ListStreams',
        authorization: expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=key-id\/\d{8}\/us-east-1\/dynamodb\/aws4_request, .*Signature=[0-9a-f]{64}$/,
        ),
      }),
    },
  ]);
});

test('All shards are found, over as many pages as they come in', async () => {
  const { streams, seen } = await database(
    [200, { Streams: [{ StreamArn: 'arn' }] }],
    [200, { StreamDescription: { Shards: [{ ShardId: 'a' }], LastEvaluatedShardId: 'a' } }],
    [200, { StreamDescription: { Shards: [{ ShardId: 'b', ParentShardId: 'a' }] } }],
  );
  expect(await streams.shards('table')).toEqual([
    { streamArn: 'arn', ShardId: 'a' },
    { streamArn: 'arn', ShardId: 'b', ParentShardId: 'a' },
  ]);
  expect(seen.slice(1).map(({ body }) => body)).toEqual([
    { StreamArn: 'arn' },
    { StreamArn: 'arn', ExclusiveStartShardId: 'a' },
  ]);
});

test('A stream that has nothing is not an error', async () => {
  const { streams } = await database([200, {}], [200, {}], [200, {}]);
  const shard = { streamArn: 'arn', ShardId: 'shard' };
  expect(await streams.shards('table')).toEqual([]);
  expect(await streams.iterator(shard, { ShardIteratorType: 'LATEST' })).toBeUndefined();
  expect(await streams.page('iterator')).toEqual({ records: [], next: undefined, isLast: true });
});

test('A page that has neither all records that were asked for nor about a megabyte is the last one', async () => {
  const pageOf = (count: number, text: string): [number, unknown] => {
    const record = { dynamodb: { NewImage: { text: { S: text } } } };
    return [200, { Records: Array.from({ length: count }, () => record), NextShardIterator: 'next' }];
  };
  // A character of Japanese takes three bytes.
  const [latin, japanese] = ['x'.repeat(400_000), '語'.repeat(133_000)];
  const { streams } = await database(
    pageOf(499, 'x'),
    pageOf(500, 'x'),
    pageOf(2, latin),
    pageOf(2, japanese),
  );
  expect(await streams.page('iterator')).toMatchObject({ next: 'next', isLast: true });
  expect(await streams.page('iterator')).toMatchObject({ next: 'next', isLast: false });
  expect(await streams.page('iterator')).toMatchObject({ next: 'next', isLast: false });
  expect(await streams.page('iterator')).toMatchObject({ next: 'next', isLast: false });
});

test.each<[string, number, unknown]>([
  ['refuses', 400, { __type: 'ExpiredIteratorException', message: 'The iterator is too old' }],
  ['fails', 500, 'ExpiredIteratorException'],
])('When the database %s, the reason is said', async (_, status, body) => {
  const { streams } = await database([status, body]);
  await expect(streams.page('iterator')).rejects.toThrow(
    new RegExp(`^GetRecords responds ${status}: .*ExpiredIteratorException`),
  );
});

test('A database that is not there, or gives no JSON, is an error', async () => {
  const { streams } = await database([200, '<html>']);
  await expect(streams.page('iterator')).rejects.toThrow(/JSON/);
  const nobody = streamRequests('http://127.0.0.1:9', credentials);
  await expect(nobody.page('iterator')).rejects.toThrow(/ECONNREFUSED/);
  nobody.close();
});
