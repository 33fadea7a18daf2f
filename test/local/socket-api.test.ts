import { once } from 'node:events';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../harness/eventually.ts';
import { type Running, startFixture } from './fixture/running.ts';
import { closed, connect, next, open } from './fixture/sockets.ts';

let running: Running;
beforeAll(async () => {
  running = await startFixture();
});
afterAll(async () => {
  await running.stop();
});

/** The event that the socket function has noted under a key. */
async function noted(pk: string) {
  const item = await eventually(() => running.read(pk));
  return JSON.parse(item.event?.S ?? '');
}

test.each([
  ['without a token', '?', 401],
  ['with a token that is not allowed', '?token=known', 403],
  ['when the function fails', '?token=throw', 500],
  ['on another path', '/elsewhere', 404],
])('The handshake is refused %s', async (_when, rest, status) => {
  const socket = new WebSocket(`${running.host.socketUrl}${rest}`);
  const [, response] = await once(socket, 'unexpected-response');
  expect(response.statusCode).toBe(status);
  socket.on('error', () => undefined);
  socket.terminate();
});

test('The handshake tells the function who connects, before the connection is open', async () => {
  const { socket, connectionId } = await connect(running);
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

test('A message takes the route that its action names and gets the response of the function', async () => {
  const socket = await open(running);
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
  'A message that names no route takes the default one: %s',
  async (body) => {
    const socket = await open(running);
    socket.send(body);
    await eventually(async () =>
      (await running.read('message#$default'))?.event?.S?.includes(JSON.stringify(body)),
    );
    socket.close();
  },
);

test('A message on a route without a response gets none', async () => {
  const socket = await open(running);
  socket.send('{"action":"silent"}');
  await noted('message#silent');
  socket.send('{"action":"ping"}');
  expect(await next(socket)).toEqual({ pong: 'ping' });
  socket.close();
});

test('A message whose function fails gets an error that names the connection', async () => {
  const socket = await open(running);
  socket.send('{"action":"fail"}');
  expect(await next(socket)).toEqual({
    message: 'Internal server error',
    connectionId: expect.any(String),
    requestId: expect.any(String),
  });
  socket.close();
});

test('A message of 128 KB in several frames is taken, a longer one ends the connection', async () => {
  const socket = await open(running);
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

test('A message that is binary ends the connection', async () => {
  const socket = await open(running);
  socket.send(Buffer.from([1, 2, 3]));
  expect(await closed(socket)).toBe(1003);
});

test('The function is called at the end of a connection', async () => {
  const { socket, connectionId } = await connect(running);
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

test('The function is called at the end of a connection whose client just vanishes', async () => {
  const { socket, connectionId } = await connect(running);
  socket.terminate();
  expect((await noted(`DISCONNECT#${connectionId}`)).requestContext.disconnectStatusCode).toBe(1006);
});

test('The end of a connection comes after a time without messages', async () => {
  const impatient = await startFixture({ limits: { idleMilliseconds: 100 } });
  onTestFinished(impatient.stop);
  expect(await closed(await open(impatient))).toBe(1001);
});

test('The end of a connection comes after the longest time of all, whatever happens', async () => {
  const brief = await startFixture({ limits: { longestMilliseconds: 500 } });
  onTestFinished(brief.stop);
  const socket = await open(brief);
  const talking = setInterval(() => socket.send('{"action":"ping"}'), 50);
  const code = await closed(socket);
  clearInterval(talking);
  expect(code).toBe(1001);
});
