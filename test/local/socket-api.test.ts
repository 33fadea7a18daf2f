import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { hostname } from 'node:os';
import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  GoneException,
  LimitExceededException,
  PayloadTooLargeException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { interfaceAt } from '../../infra/local/listening.ts';
import { eventually } from '../harness/eventually.ts';
import { type Running, startFixture } from './fixture/running.ts';

let running: Running;
let client: ApiGatewayManagementApiClient;
beforeAll(async () => {
  running = await startFixture();
  client = new ApiGatewayManagementApiClient({
    endpoint: `${running.host.url}/live`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
});
afterAll(async () => {
  client.destroy();
  await running.stop();
});

/** The event that the socket function has noted under a key. */
async function noted(pk: string) {
  const item = await eventually(() => running.read(pk));
  return JSON.parse(item.event?.S ?? '');
}

async function open(query = 'token=good', { host } = running) {
  const socket = new WebSocket(`${host.socketUrl}?${query}`);
  await once(socket, 'open');
  return socket;
}

/** Opens a connection and finds out its id, which only functions get to know. */
async function connect() {
  const marker = `mark-${performance.now()}`;
  const socket = await open(`token=good&marker=${marker}`);
  socket.send(JSON.stringify({ action: 'fail' }));
  const { connectionId } = (await next(socket)) as { connectionId: string };
  return { socket, connectionId };
}

async function next(socket: WebSocket): Promise<unknown> {
  const [data] = await once(socket, 'message');
  return JSON.parse(String(data));
}

async function closed(socket: WebSocket): Promise<number> {
  const [code] = await once(socket, 'close');
  return code;
}

test.each([
  ['without a token', '', 401],
  ['with a token that is not allowed', 'token=known', 403],
  ['when the function fails', 'token=throw', 500],
])('the handshake is refused %s', async (_when, query, status) => {
  const socket = new WebSocket(`${running.host.socketUrl}?${query}`);
  const [, response] = await once(socket, 'unexpected-response');
  expect(response.statusCode).toBe(status);
  socket.on('error', () => undefined);
  socket.terminate();
});

test('the handshake is refused on another path', async () => {
  const socket = new WebSocket(`${running.host.socketUrl}/elsewhere`);
  const [, response] = await once(socket, 'unexpected-response');
  expect(response.statusCode).toBe(404);
  socket.on('error', () => undefined);
  socket.terminate();
});

test('the handshake tells the function who connects, before the connection is open', async () => {
  const { socket, connectionId } = await connect();
  const event = await noted(`CONNECT#${connectionId}`);
  expect(event).toMatchObject({
    queryStringParameters: { token: 'good' },
    multiValueQueryStringParameters: { token: ['good'] },
    headers: { Host: new URL(running.host.url).host, Upgrade: 'websocket' },
    isBase64Encoded: false,
    requestContext: {
      routeKey: '$connect',
      eventType: 'CONNECT',
      connectionId,
      stage: 'live',
      messageDirection: 'IN',
      domainName: new URL(running.host.url).host,
      identity: { sourceIp: '127.0.0.1' },
    },
  });
  expect(event.requestContext.connectedAt).toBeLessThanOrEqual(event.requestContext.requestTimeEpoch);
  socket.close();
});

test('a message takes the route that its action names and gets the answer of the function', async () => {
  const socket = await open();
  socket.send('{"action":"ping","id":7}');
  expect(await next(socket)).toEqual({ pong: 'ping' });
  const event = await noted('message#ping');
  expect(event).toMatchObject({
    body: '{"action":"ping","id":7}',
    isBase64Encoded: false,
    requestContext: { routeKey: 'ping', eventType: 'MESSAGE', messageId: expect.any(String) },
  });
  expect(event).not.toHaveProperty('headers');
  socket.close();
});

test.each(['{"action":"unheard-of"}', '{"action":"$connect"}', 'no JSON', '[]', 'null'])(
  'a message that names no route takes the default one: %s',
  async (body) => {
    const socket = await open();
    socket.send(body);
    await eventually(async () =>
      (await running.read('message#$default'))?.event?.S?.includes(JSON.stringify(body)),
    );
    socket.close();
  },
);

test('a message on a route without a response is not answered', async () => {
  const socket = await open();
  socket.send('{"action":"silent"}');
  await noted('message#silent');
  socket.send('{"action":"ping"}');
  expect(await next(socket)).toEqual({ pong: 'ping' });
  socket.close();
});

test('a message whose function fails is answered with an error that names the connection', async () => {
  const socket = await open();
  socket.send('{"action":"fail"}');
  expect(await next(socket)).toEqual({
    message: 'Internal server error',
    connectionId: expect.any(String),
    requestId: expect.any(String),
  });
  socket.close();
});

test('a message in a frame of 32 KB is taken, in one that is longer it ends the connection', async () => {
  const socket = await open();
  const message = (bytes: number) => JSON.stringify({ action: 'ping' }).padEnd(bytes, ' ');
  socket.send(message(32 * 1024));
  expect(await next(socket)).toEqual({ pong: 'ping' });
  socket.send(message(32 * 1024 + 1));
  expect(await closed(socket)).toBe(1009);
});

test('a message of 128 KB in several frames is taken, a longer one ends the connection', async () => {
  const socket = await open();
  const send = (bytes: number) => {
    const text = JSON.stringify({ action: 'ping' }).padEnd(bytes, ' ');
    for (let at = 0; at < bytes; at += 32 * 1024) {
      socket.send(text.slice(at, at + 32 * 1024), { fin: at + 32 * 1024 >= bytes });
    }
  };
  send(128 * 1024);
  expect(await next(socket)).toEqual({ pong: 'ping' });
  send(128 * 1024 + 1);
  expect(await closed(socket)).toBe(1009);
});

test('a message that is binary ends the connection', async () => {
  const socket = await open();
  socket.send(Buffer.from([1, 2, 3]));
  expect(await closed(socket)).toBe(1003);
});
test('the end of a connection is told to the function', async () => {
  const { socket, connectionId } = await connect();
  socket.close(4000, 'enough');
  expect(await noted(`DISCONNECT#${connectionId}`)).toMatchObject({
    requestContext: {
      routeKey: '$disconnect',
      eventType: 'DISCONNECT',
      connectionId,
      disconnectStatusCode: 4000,
      disconnectReason: 'enough',
    },
  });
});

test('the end of a connection is told to the function when the client just vanishes', async () => {
  const { socket, connectionId } = await connect();
  socket.terminate();
  expect((await noted(`DISCONNECT#${connectionId}`)).requestContext.disconnectStatusCode).toBe(1006);
});

test('the end of a connection comes after a time without messages', async () => {
  const impatient = await startFixture({ limits: { idleMilliseconds: 100 } });
  onTestFinished(impatient.stop);
  expect(await closed(await open('token=good', impatient))).toBe(1001);
});

test('the end of a connection comes after the longest time of all, whatever happens', async () => {
  const brief = await startFixture({ limits: { longestMilliseconds: 500 } });
  onTestFinished(brief.stop);
  const socket = await open('token=good', brief);
  const talking = setInterval(() => socket.send('{"action":"ping"}'), 50);
  const code = await closed(socket);
  clearInterval(talking);
  expect(code).toBe(1001);
});
const send = (ConnectionId: string, Data: string) =>
  client.send(new PostToConnectionCommand({ ConnectionId, Data }));

test('the management API posts to a connection', async () => {
  const { socket, connectionId } = await connect();
  const message = next(socket);
  await send(connectionId, '{"hello":"Jürgen"}');
  expect(await message).toEqual({ hello: 'Jürgen' });
  socket.close();
});

test('the management API closes a connection, which then is gone', async () => {
  const { socket, connectionId } = await connect();
  await client.send(new DeleteConnectionCommand({ ConnectionId: connectionId }));
  expect(await closed(socket)).toBe(1000);
  await expect(send(connectionId, '{}')).rejects.toBeInstanceOf(GoneException);
  await expect(client.send(new GetConnectionCommand({ ConnectionId: connectionId }))).rejects.toBeInstanceOf(
    GoneException,
  );
});

test('the management API takes messages of 128 KB and no longer ones', async () => {
  const { socket, connectionId } = await connect();
  await send(connectionId, `"${'x'.repeat(128 * 1024 - 2)}"`);
  await expect(send(connectionId, 'x'.repeat(128 * 1024 + 1))).rejects.toBeInstanceOf(
    PayloadTooLargeException,
  );
  socket.close();
});

test('the management API refuses more than a client reads, and serves others all the while', async () => {
  const [slow, other] = [await connect(), await connect()];
  slow.socket.pause();
  const message = 'x'.repeat(128 * 1024);
  let sent = 0;
  const refused = (async () => {
    // The system's own buffers take some, too, whatever their size.
    for (; sent < 1_000; sent += 1) {
      await send(slow.connectionId, message);
    }
  })();
  await expect(refused).rejects.toBeInstanceOf(LimitExceededException);
  expect(sent).toBeGreaterThan(0);
  const arrived = next(other.socket);
  await send(other.connectionId, '{"hello":"you"}');
  expect(await arrived).toEqual({ hello: 'you' });
  slow.socket.terminate();
  other.socket.close();
});

/** The head of a request to post a message whose body does not come. */
async function postWithoutBody(connectionId: string, headers: Record<string, string>) {
  const request = httpRequest(`${running.host.url}/live/@connections/${encodeURIComponent(connectionId)}`, {
    method: 'POST',
    headers,
  });
  request.on('error', () => undefined);
  request.flushHeaders();
  const [response] = await once(request, 'response');
  request.destroy();
  return response.statusCode;
}

const signed = { authorization: 'AWS4-HMAC-SHA256 test' };

test('the management API answers by the headers alone what it would refuse anyway', async () => {
  const { socket, connectionId } = await connect();
  const endless = { 'transfer-encoding': 'chunked' };
  expect(await postWithoutBody(connectionId, endless)).toBe(403);
  expect(await postWithoutBody('abc', { ...signed, ...endless })).toBe(410);
  const long = { 'content-length': String(128 * 1024 + 1) };
  expect(await postWithoutBody(connectionId, { ...signed, ...long })).toBe(413);
  socket.close();
});

test('the management API reads no more of an endless message than a message may have', async () => {
  const { socket, connectionId } = await connect();
  const request = httpRequest(`${running.host.url}/live/@connections/${encodeURIComponent(connectionId)}`, {
    method: 'POST',
    headers: signed,
  });
  request.on('error', () => undefined);
  request.write('x'.repeat(128 * 1024 + 1));
  const [response] = await once(request, 'response');
  expect(response.statusCode).toBe(413);
  request.destroy();
  socket.close();
});

test('the management API refuses a caller that has not signed', async () => {
  const response = await fetch(`${running.host.url}/live/@connections/abc`, { method: 'POST', body: '{}' });
  expect(response.status).toBe(403);
});

test.each([
  ['a name', hostname()],
  ['all addresses', '0.0.0.0'],
])('the management API is open to the functions of a host that listens at %s', async (_what, host) => {
  const another = await startFixture({ on: interfaceAt(host) });
  onTestFinished(another.stop);
  const { ownUrl } = another.host;
  expect(new URL(ownUrl).hostname).not.toBe('0.0.0.0'); // Which is no address to reach on every system.
  const path = '/live/@connections/abc';
  expect((await fetch(`${ownUrl}${path}`, { method: 'POST', headers: signed })).status).toBe(410);
});
