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
import { interfaceAt } from '../../infra/local/listening.ts';
import { type Running, startFixture } from './fixture/running.ts';
import { closed, connect, next } from './fixture/sockets.ts';

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

const send = (ConnectionId: string, Data: string) =>
  client.send(new PostToConnectionCommand({ ConnectionId, Data }));

test('The management API posts to a connection', async () => {
  const { socket, connectionId } = await connect(running);
  const message = next(socket);
  await send(connectionId, '{"hello":"Jürgen"}');
  expect(await message).toEqual({ hello: 'Jürgen' });
  socket.close();
});

test('The management API closes a connection, which then is gone', async () => {
  const { socket, connectionId } = await connect(running);
  await client.send(new DeleteConnectionCommand({ ConnectionId: connectionId }));
  expect(await closed(socket)).toBe(1000);
  await expect(send(connectionId, '{}')).rejects.toBeInstanceOf(GoneException);
  await expect(client.send(new GetConnectionCommand({ ConnectionId: connectionId }))).rejects.toBeInstanceOf(
    GoneException,
  );
});

test('The management API takes messages of 128 KB and no longer ones', async () => {
  const { socket, connectionId } = await connect(running);
  await send(connectionId, `"${'x'.repeat(128 * 1024 - 2)}"`);
  await expect(send(connectionId, 'x'.repeat(128 * 1024 + 1))).rejects.toBeInstanceOf(
    PayloadTooLargeException,
  );
  socket.close();
});

test('The management API refuses more than a client reads, and serves others all the while', async () => {
  const [slow, other] = [await connect(running), await connect(running)];
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

test('The management API refuses by the headers alone what it would refuse anyway', async () => {
  const { socket, connectionId } = await connect(running);
  const endless = { 'transfer-encoding': 'chunked' };
  expect(await postWithoutBody(connectionId, endless)).toBe(403);
  expect(await postWithoutBody('abc', { ...signed, ...endless })).toBe(410);
  const long = { 'content-length': String(128 * 1024 + 1) };
  expect(await postWithoutBody(connectionId, { ...signed, ...long })).toBe(413);
  socket.close();
});

test('The management API reads no more of an endless message than a message may have', async () => {
  const { socket, connectionId } = await connect(running);
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

test('The management API refuses a caller that has not signed', async () => {
  const response = await fetch(`${running.host.url}/live/@connections/abc`, { method: 'POST', body: '{}' });
  expect(response.status).toBe(403);
});

test.each([
  ['a name', hostname()],
  ['all addresses', '0.0.0.0'],
])('The management API is open to the functions of a host that listens at %s', async (_what, host) => {
  const another = await startFixture({ on: interfaceAt(host) });
  onTestFinished(another.stop);
  const { ownUrl } = another.host;
  expect(new URL(ownUrl).hostname).not.toBe('0.0.0.0'); // Which is not an address to reach on every system.
  const path = '/live/@connections/abc';
  expect((await fetch(`${ownUrl}${path}`, { method: 'POST', headers: signed })).status).toBe(410);
});
