import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { close, open } from 'node:inspector';
import { json } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unlessDebugged } from '../../infra/local/time-limit.ts';
import { eventually } from '../harness/eventually.ts';
import { type Running, startFixture } from './fixture/running.ts';
import { slowServer } from './fixture/slow-server.ts';

let running: Running;
let url: string;
beforeAll(async () => {
  running = await startFixture();
  url = running.host.url;
});
afterAll(() => running.stop());

const get = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init);
const event = async (path: string, init?: RequestInit) =>
  (await (await get(path, init)).json()) as APIGatewayProxyEventV2;

/** Sends what `fetch` would not: chosen header lines, a path that is not normalized. */
async function raw(path: string, headers: string[]): Promise<APIGatewayProxyEventV2> {
  const { host, port } = new URL(url);
  const sent = request({ host: '127.0.0.1', port, path, headers: ['Host', host, ...headers] }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return (await json(response)) as APIGatewayProxyEventV2;
}

test('The event of a function says what was asked, in payload format 2.0', async () => {
  const before = Date.now();
  const { headers, requestContext, ...rest } = await event('/echo?tag=a&tag=b&name=J%C3%BCrgen+M', {
    headers: { 'X-Mixed-Case': 'Yes', 'user-agent': 'a test' },
  });
  expect(rest).toEqual({
    version: '2.0',
    routeKey: 'GET /echo',
    rawPath: '/echo',
    rawQueryString: 'tag=a&tag=b&name=J%C3%BCrgen+M',
    queryStringParameters: { tag: 'a,b', name: 'Jürgen M' },
    isBase64Encoded: false,
  });
  expect(headers).toMatchObject({ 'x-mixed-case': 'Yes', 'x-forwarded-for': '127.0.0.1' });
  expect(requestContext).toMatchObject({
    accountId: '000000000000',
    http: {
      method: 'GET',
      path: '/echo',
      protocol: 'HTTP/1.1',
      sourceIp: '127.0.0.1',
      userAgent: 'a test',
    },
    routeKey: 'GET /echo',
    stage: '$default',
    domainName: new URL(url).host,
  });
  expect(requestContext.time).toMatch(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
  expect(requestContext.timeEpoch).toBeGreaterThanOrEqual(before);
});

test('The event of a function has no query, parameters, cookies or body when there are none', async () => {
  expect(Object.keys(await event('/echo')).sort()).toEqual([
    'headers',
    'isBase64Encoded',
    'rawPath',
    'rawQueryString',
    'requestContext',
    'routeKey',
    'version',
  ]);
});

test('The event of a function has repeated headers joined by commas, and cookies apart from them', async () => {
  const { headers, cookies } = await raw('/echo', ['X-A', '1', 'x-a', '2', 'Cookie', 'one=1; two=2']);
  expect(headers['x-a']).toBe('1,2');
  expect(headers).not.toHaveProperty('cookie');
  expect(cookies).toEqual(['one=1', 'two=2']);
});

test('The event of a function has the request id that the client gets too', async () => {
  const response = await get('/echo');
  const { requestContext } = (await response.json()) as APIGatewayProxyEventV2;
  expect(response.headers.get('apigw-requestid')).toBe(requestContext.requestId);
});

test.each([
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['text/csv', true],
  ['application/xml', true],
  ['application/javascript', true],
  ['application/x-www-form-urlencoded', false],
  ['application/problem+json', false],
  ['application/octet-stream', false],
  ['', false],
])('The event of a function has a body of type "%s" as text: %s', async (type, isText) => {
  const body = Buffer.from('{"name":"Jürgen"}');
  const sent = await event('/echo', {
    method: 'POST',
    body: new Blob([body]),
    headers: type ? { 'content-type': type } : {},
  });
  expect(sent.isBase64Encoded).toBe(!isText);
  expect(sent.body).toBe(body.toString(isText ? 'utf8' : 'base64'));
});

test('A literal segment comes before a parameter', async () => {
  expect((await event('/items/special')).routeKey).toBe('GET /items/special');
  expect((await event('/items/other')).routeKey).toBe('GET /items/{id}');
});

test('Parameters are url-decoded, the path too but for an escaped percent sign', async () => {
  const { pathParameters, rawPath } = await raw('/items/J%C3%BCrgen%20%2541', []);
  expect(pathParameters).toEqual({ id: 'Jürgen %41' });
  expect(rawPath).toBe('/items/Jürgen %2541');
});

test.each(['/unknown', '/items/', '/items/a/b', '/any', '/echo/'])('%s is not found', async (path) => {
  const response = await get(path);
  expect([response.status, await response.text()]).toEqual([404, '{"message":"Not Found"}']);
});

test('A method without a route is not found', async () => {
  expect((await get('/items/a', { method: 'DELETE' })).status).toBe(404);
});

const answer = async (how: string, route = 'behave') => {
  const response = await get(`/${route}/${how}`);
  const { status, headers } = response;
  return { status, type: headers.get('content-type'), headers, body: await response.text() };
};

test('A value without a status becomes 200 and JSON', async () => {
  expect(await answer('greeting')).toMatchObject({
    status: 200,
    type: 'application/json',
    body: '{"greeting":"hello"}',
  });
  expect(await answer('string')).toMatchObject({
    status: 200,
    type: 'application/json',
    body: 'just text',
  });
  expect(await answer('nothing')).toMatchObject({ status: 200, body: 'null' });
});

test('A response without a content type is plain text', async () => {
  expect(await answer('plain')).toMatchObject({
    status: 201,
    type: 'text/plain;charset=UTF-8',
    body: 'plain',
  });
});

test('A long response arrives whole, whatever its characters', async () => {
  const body = 'é結😀\ufffd '.repeat(10_000);
  const { headers, ...long } = await answer('long');
  expect(long).toMatchObject({ status: 200, body });
  expect(headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
  const head = await get('/behave/long', { method: 'HEAD' });
  expect([head.headers.get('content-length'), await head.text()]).toEqual([
    String(Buffer.byteLength(body)),
    '',
  ]);
});

test('The response to HEAD has no body, and a length only if it is known', async () => {
  const plain = await get('/behave/plain', { method: 'HEAD' });
  expect([plain.status, plain.headers.get('content-length'), await plain.text()]).toEqual([201, '5', '']);
  const empty = await get('/behave/own-cors', { method: 'HEAD' });
  expect([empty.status, empty.headers.get('content-length')]).toEqual([200, null]);
});

test('A function does not say which origin may read its responses', async () => {
  const init = { headers: { origin: 'https://app.example.com' } };
  const { headers } = await get('/behave/own-cors', init);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect((await get('/behave/own-cors')).headers.has('access-control-allow-origin')).toBe(false);
});

test('Cookies become one header each', async () => {
  expect((await answer('cookies')).headers.getSetCookie()).toEqual(['a=1; Path=/', 'b=2']);
});

test('A body in base64 arrives as bytes', async () => {
  const response = await get('/behave/binary');
  expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0x89, 0x50, 0xff, 0x00]);
});

test.each(['throw', 'bad', 'body-object', 'exit', 'big', 'hang', 'spin'])('%s is a bare 500', async (how) => {
  const failed = { status: 500, body: '{"message":"Internal Server Error"}' };
  expect(await answer(how, 'brief')).toMatchObject(failed);
});

test('The function works again after it has crashed, run out of time or failed', async () => {
  await Promise.all(['exit', 'throw', 'hang'].map((how) => answer(how, 'brief')));
  expect((await answer('greeting', 'brief')).status).toBe(200);
});

test('An error and what a function prints are logged under its name', async () => {
  await answer('throw');
  await answer('context');
  await eventually(() => running.lines.includes('[fixture-behave] said on stdout'));
  await eventually(() => running.lines.includes('[fixture-behave] TypeError: This is meant to fail'));
});

test('A function knows its name, its time and the id of the call', async () => {
  const context = JSON.parse((await answer('context')).body);
  expect(context).toMatchObject({
    name: 'fixture-behave',
    requestId: expect.stringMatching(/^[\w-]{36}$/),
  });
  expect(context.remaining).toBeGreaterThan(30_000);
  expect(context.remaining).toBeLessThanOrEqual(60_000);
});

test('Nothing has a time limit below an hour while a debugger may attach: a breakpoint ends no call', async () => {
  open(0);
  try {
    expect(JSON.parse((await answer('context')).body).remaining).toBeGreaterThan(3_500_000);
    expect(unlessDebugged(300)).toBe(3_600_000);
  } finally {
    close();
  }
  expect(unlessDebugged(300)).toBe(300);
});

test('An integration that takes too long is a 503', async () => {
  const { query } = await slowServer();
  const response = await get(`/hurried/wait?${query}`);
  expect([response.status, await response.text()]).toEqual([503, '{"message":"Service Unavailable"}']);
});

test('Calls at the same time run beside each other', async () => {
  const other = await slowServer();
  const answers = Promise.all([1, 2].map(() => answer(`wait?${other.query}`)));
  await other.asked(2);
  other.answer();
  expect((await answers).map(({ status }) => status)).toEqual([200, 200]);
});

test.each([
  [11, '10 MB, the most that the gateway takes'],
  [7, '6 MB, the most that a function takes'],
])('A body of %s MB is over %s', async (megabytes) => {
  const response = await get('/echo', {
    method: 'POST',
    body: 'x'.repeat(megabytes * 1024 * 1024),
    headers: { 'content-type': 'text/plain' },
  });
  expect([response.status, await response.text()]).toEqual([413, '{"message":"Request Entity Too Large"}']);
});

const call = async (authorization?: string, method = 'GET') => {
  const response = await get('/private', { method, ...(authorization && { headers: { authorization } }) });
  return { status: response.status, body: JSON.parse(await response.text()) };
};

test('The authorizer is not asked when the request lacks the identity source', async () => {
  expect(await call()).toEqual({ status: 401, body: { message: 'Unauthorized' } });
});

test('The authorizer can refuse', async () => {
  expect(await call('deny')).toEqual({ status: 403, body: { message: 'Forbidden' } });
});

test.each(['throw', 'nonsense'])(
  'An authorizer that returns "%s" is an error of the server',
  async (token) => {
    expect(await call(token)).toEqual({ status: 500, body: { message: 'Internal Server Error' } });
  },
);

test('The authorizer hands its context to the function, with the types that it has', async () => {
  const { status, body } = await call('allow-context');
  expect(status).toBe(200);
  expect(body.requestContext.authorizer.lambda).toMatchObject({
    type: 'REQUEST',
    routeArn: expect.stringMatching(
      /^arn:aws:execute-api:us-east-1:000000000000:\w+\/\$default\/GET\/private$/,
    ),
    list: ['a', 1],
  });
});

test('The authorizer is asked once for a token, whatever the route, and again for another token', async () => {
  const calls = async (token: string, method: string) =>
    (await call(token, method)).body.requestContext.authorizer.lambda.calls;
  const first = await calls('allow-once', 'GET');
  expect(await calls('allow-once', 'POST')).toBe(first);
  expect(await calls('allow-twice', 'GET')).not.toBe(first);
});
