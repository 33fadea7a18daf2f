import {
  type DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { expect, test } from 'vitest';
import { TableSigner } from '../../shared/table/dynamodb-signer.ts';
import { unhurried } from '../harness/eventually.ts';
import { clients, json, localDynamodb, type Reply, refusal } from './local-dynamodb.ts';

/** The requests that each client makes of the same call. */
async function requestsOf(send: (client: DynamoDBClient) => Promise<unknown>, ...replies: Reply[]) {
  const [ours, theirs] = await Promise.all(
    [clients.product, clients.sdk].map(async (make) => {
      await using server = await localDynamodb(...replies, json(200, {}));
      const client = make(unhurried, server.location);
      await send(client);
      client.destroy();
      return server.received;
    }),
  );
  return { ours: ours ?? [], theirs: theirs ?? [] };
}

const bytes = Buffer.from([0, 255, 62, 63]).subarray(1);
const get = new GetItemCommand({ TableName: 't', Key: { pk: { S: 'ä€🙂\u2028"\\' } } });

test.each<[string, (client: DynamoDBClient) => Promise<unknown>]>([
  ['a read', (client) => client.send(get)],
  [
    'bytes in views, in lists and maps, and what is null or undefined',
    (client) =>
      client.send(
        new PutItemCommand({
          TableName: 't',
          Item: {
            a: { B: bytes },
            b: { BS: [bytes, new Uint8Array([1])] },
            c: { L: [{ B: bytes }, { M: { B: { B: bytes } } }, { NULL: true }] },
            d: undefined as never,
            e: null as never,
            f: { S: '', N: undefined } as never,
            g: { BOOL: false },
          },
          ConditionExpression: undefined,
          ReturnValues: null as never,
        }),
      ),
  ],
  [
    'a query',
    (client) =>
      client.send(
        new QueryCommand({ TableName: 't', Limit: 5, ScanIndexForward: false, KeyConditionExpression: 'a' }),
      ),
  ],
  [
    'a transaction',
    (client) => client.send(new TransactWriteItemsCommand({ TransactItems: [], ClientRequestToken: 'x' })),
  ],
  ['a command that the table never sends', (client) => client.send(new ListTablesCommand({ Limit: 1 }))],
])('A request of the client of the table says what the SDK says: %s', async (_, send) => {
  const { ours, theirs } = await requestsOf(send);
  expect(JSON.parse(ours[0]?.body ?? '')).toEqual(JSON.parse(theirs[0]?.body ?? ''));
  for (const name of ['content-type', 'x-amz-target', 'content-length', 'x-amz-security-token']) {
    expect(ours[0]?.headers[name]).toBe(theirs[0]?.headers[name]);
  }
  expect(ours[0]?.headers.host).toMatch(/^127\.0\.0\.1:\d+$/);
});

test('A request of the client of the table has a token when a transaction comes without one', async () => {
  const { ours } = await requestsOf((client) =>
    client.send(new TransactWriteItemsCommand({ TransactItems: [] })),
  );
  expect(JSON.parse(ours[0]?.body ?? '')).toMatchObject({
    ClientRequestToken: expect.stringMatching(/^.{36}$/),
  });
});

test('A request of the client of the table counts its tries under one id, and is signed anew for each', async () => {
  const { ours } = await requestsOf((client) => client.send(get), refusal(500, 'InternalServerError'));
  const [first, second] = ours.map(({ headers }) => headers);
  expect(first?.['amz-sdk-request']).toBe('attempt=1; max=3');
  expect(second?.['amz-sdk-request']).toBe('attempt=2; max=3');
  expect(second?.['amz-sdk-invocation-id']).toBe(first?.['amz-sdk-invocation-id']);
  expect(second?.authorization).not.toBe(first?.authorization);
});

test.each([{}, { ClientRequestToken: 'mine' }])(
  'A request of the client of the table is the same after its response was lost, so that a transaction with %j counts once',
  async (token) => {
    const lost: Reply = (response) => response.destroy();
    const { ours } = await requestsOf(
      (client) => client.send(new TransactWriteItemsCommand({ TransactItems: [], ...token })),
      lost,
    );
    const [first, second, ...more] = ours.map(({ body }) => body);
    expect(JSON.parse(first ?? '')).toMatchObject({ ClientRequestToken: expect.any(String), ...token });
    expect([second, more]).toEqual([first, []]);
  },
);

test('A request of the client of the table goes by the clock of the table when its own is wrong', async () => {
  const hour = 3_600_000;
  const later = () => ({ date: new Date(Date.now() + hour).toUTCString() });
  const skewed: Reply = (response, request) =>
    json(
      400,
      { __type: 'InvalidSignatureException', message: 'Signature expired' },
      later(),
    )(response, request);
  const { ours, theirs } = await requestsOf((client) => client.send(get), skewed);
  for (const requests of [ours, theirs]) {
    const times = requests.map(({ headers }) => timeOf(String(headers['x-amz-date'])));
    expect(times).toHaveLength(2);
    expect(Math.round(((times[1] ?? 0) - (times[0] ?? 0)) / hour)).toBe(1);
  }
});

const timeOf = (basic: string) =>
  Date.parse(basic.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.GetItem',
  host: 'dynamodb.eu-central-1.amazonaws.com',
  'amz-sdk-invocation-id': '5d0c1bc8',
  'amz-sdk-request': 'attempt=1; max=3',
};
const request = (changes: object = {}) =>
  new HttpRequest({
    method: 'POST',
    protocol: 'https:',
    hostname: headers.host,
    path: '/',
    headers,
    body: '{"TableName":"täble"}',
    ...changes,
  });
const session = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token+/=' };
const times = [0, 86_399_999, 86_400_000, 86_400_000 * 366].map((time) => new Date(time));

test.each<[string, object, Partial<typeof session>?]>([
  ['as it is sent', {}],
  ['without a session', {}, { sessionToken: undefined as never }],
  ['in bytes', { body: new TextEncoder().encode('{"TableName":"täble"}') }],
  ['to a port', { headers: { ...headers, host: '127.0.0.1:8000' } }],
  ['to an endpoint with a path', { path: '/proxied path/' }],
  ['with a query', { query: { b: '1', a: ['2', '3'] } }],
  ['with more headers', { headers: { ...headers, 'x-amz-meta': ' a  b ', 'user-agent': 'x' } }],
  ['with uneven spaces', { headers: { ...headers, 'x-amz-target': ' a  b\t' } }],
  ['of another method', { method: 'PUT' }],
])('The signature of a request is the one of the SDK: %s', async (_, changes, other) => {
  for (const credentials of [
    { ...session, ...other },
    { ...session, ...other, secretAccessKey: 'new' },
  ]) {
    const config = { credentials: async () => credentials, region: async () => 'eu-central-1' };
    const signer = new TableSigner(() => config);
    const official = new SignatureV4({ ...config, service: 'dynamodb', sha256: Sha256 });
    for (const signingDate of [...times, ...times]) {
      const [ours, theirs] = [request(changes), request(changes)];
      const signed = await signer.sign(ours, { signingDate });
      expect(signed.headers).toEqual((await official.sign(theirs, { signingDate })).headers);
      expect(ours).toEqual(request(changes));
    }
  }
});

test('The signature of a request follows credentials that change', async () => {
  let credentials = session;
  const config = { credentials: async () => credentials, region: async () => 'eu-central-1' };
  const signer = new TableSigner(() => config);
  const [signingDate = new Date()] = times;
  const before = await signer.sign(request(), { signingDate });
  credentials = { accessKeyId: 'NEW', secretAccessKey: 'other', sessionToken: 'later' };
  const after = await signer.sign(request(), { signingDate });
  const official = new SignatureV4({
    credentials,
    region: 'eu-central-1',
    service: 'dynamodb',
    sha256: Sha256,
  });
  expect(after.headers).toEqual((await official.sign(request(), { signingDate })).headers);
  expect(after.headers).not.toEqual(before.headers);
});
