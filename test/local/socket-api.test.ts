import { once } from 'node:events';
import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  GoneException,
  PayloadTooLargeException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../harness/eventually.ts';
import { type Running, startFixture } from './fixture/running.ts';

const management = (path: string) =>
  new ApiGatewayManagementApiClient({
    endpoint: `${running.host.url}${path}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });

let running: Running;
let client: ApiGatewayManagementApiClient;
beforeAll(async () => {
  running = await startFixture();
  client = management('/live');
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

async function open(query = 'token=good', protocols?: string[], { host } = running) {
  const socket = new WebSocket(`${host.socketUrl}?${query}`, protocols);
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

describe('the handshake', () => {
  test.each([
    ['without a token', '', 401],
    ['with a token that is not allowed', 'token=known', 403],
    ['when the function fails', 'token=throw', 500],
  ])('is refused %s', async (_when, query, status) => {
    const socket = new WebSocket(`${running.host.socketUrl}?${query}`);
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(status);
    socket.on('error', () => undefined);
    socket.terminate();
  });

  test('is refused on another path', async () => {
    const socket = new WebSocket(`${running.host.socketUrl}/elsewhere`);
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(404);
    socket.on('error', () => undefined);
    socket.terminate();
  });

  test('tells the function who connects, before the connection is open', async () => {
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

  test('takes the protocol that the function chooses', async () => {
    const socket = await open('token=good', ['other', 'live']);
    expect(socket.protocol).toBe('live');
    socket.close();
  });
});

describe('a message', () => {
  test('takes the route that its action names and gets the answer of the function', async () => {
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
    'that names no route takes the default one: %s',
    async (body) => {
      const socket = await open();
      socket.send(body);
      await eventually(async () =>
        (await running.read('message#$default'))?.event?.S?.includes(JSON.stringify(body)),
      );
      socket.close();
    },
  );

  test('on a route without a response is not answered', async () => {
    const socket = await open();
    socket.send('{"action":"silent"}');
    await noted('message#silent');
    socket.send('{"action":"ping"}');
    expect(await next(socket)).toEqual({ pong: 'ping' });
    socket.close();
  });

  test('on a route with a mock integration is answered from the template', async () => {
    const socket = await open();
    socket.send('{"action":"mock"}');
    expect(await next(socket)).toEqual({ mocked: true });
    socket.close();
  });

  test('whose function fails is answered with an error that names the connection', async () => {
    const socket = await open();
    socket.send('{"action":"fail"}');
    expect(await next(socket)).toEqual({
      message: 'Internal server error',
      connectionId: expect.any(String),
      requestId: expect.any(String),
    });
    socket.close();
  });

  test('in a frame of 32 KB is taken, in one that is longer it ends the connection', async () => {
    const socket = await open();
    const message = (bytes: number) => JSON.stringify({ action: 'ping' }).padEnd(bytes, ' ');
    socket.send(message(32 * 1024));
    expect(await next(socket)).toEqual({ pong: 'ping' });
    socket.send(message(32 * 1024 + 1));
    expect(await closed(socket)).toBe(1009);
  });

  test('of 128 KB in several frames is taken, a longer one ends the connection', async () => {
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

  test('that is binary ends the connection', async () => {
    const socket = await open();
    socket.send(Buffer.from([1, 2, 3]));
    expect(await closed(socket)).toBe(1003);
  });
});

describe('the end of a connection', () => {
  test('is told to the function', async () => {
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

  test('is told to the function when the client just vanishes', async () => {
    const { socket, connectionId } = await connect();
    socket.terminate();
    expect((await noted(`DISCONNECT#${connectionId}`)).requestContext.disconnectStatusCode).toBe(1006);
  });

  test('comes after a time without messages', async () => {
    const impatient = await startFixture({ limits: { idleMilliseconds: 100 } });
    onTestFinished(impatient.stop);
    expect(await closed(await open('token=good', [], impatient))).toBe(1001);
  });

  test('comes after the longest time of all, whatever happens', async () => {
    const brief = await startFixture({ limits: { longestMilliseconds: 500 } });
    onTestFinished(brief.stop);
    const socket = await open('token=good', [], brief);
    const talking = setInterval(() => socket.send('{"action":"ping"}'), 50);
    const code = await closed(socket);
    clearInterval(talking);
    expect(code).toBe(1001);
  });
});

describe('the management API', () => {
  const send = (ConnectionId: string, Data: string) =>
    client.send(new PostToConnectionCommand({ ConnectionId, Data }));

  test('posts to a connection', async () => {
    const { socket, connectionId } = await connect();
    const message = next(socket);
    await send(connectionId, '{"hello":"Jürgen"}');
    expect(await message).toEqual({ hello: 'Jürgen' });
    socket.close();
  });

  test('works without the stage in its path too', async () => {
    const { socket, connectionId } = await connect();
    const direct = management('');
    const message = next(socket);
    await direct.send(new PostToConnectionCommand({ ConnectionId: connectionId, Data: '1' }));
    expect(await message).toBe(1);
    direct.destroy();
    socket.close();
  });

  test('describes a connection', async () => {
    const { socket, connectionId } = await connect();
    const about = await client.send(new GetConnectionCommand({ ConnectionId: connectionId }));
    expect(about.ConnectedAt).toBeInstanceOf(Date);
    expect(about.Identity?.SourceIp).toBe('127.0.0.1');
    socket.close();
  });

  test('closes a connection, which then is gone', async () => {
    const { socket, connectionId } = await connect();
    await client.send(new DeleteConnectionCommand({ ConnectionId: connectionId }));
    expect(await closed(socket)).toBe(1000);
    await expect(send(connectionId, '{}')).rejects.toBeInstanceOf(GoneException);
    await expect(
      client.send(new GetConnectionCommand({ ConnectionId: connectionId })),
    ).rejects.toBeInstanceOf(GoneException);
  });

  test('takes messages of 128 KB and no longer ones', async () => {
    const { socket, connectionId } = await connect();
    await send(connectionId, `"${'x'.repeat(128 * 1024 - 2)}"`);
    await expect(send(connectionId, 'x'.repeat(128 * 1024 + 1))).rejects.toBeInstanceOf(
      PayloadTooLargeException,
    );
    socket.close();
  });

  test('refuses a caller that has not signed', async () => {
    const response = await fetch(`${running.host.url}/live/@connections/abc`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(403);
  });
});
