import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../infra/local/host-log.ts';
import { type Running, startFixture } from './fixture/running.ts';
import { slowServer } from './fixture/slow-server.ts';

let running: Running;
/** The paths of the requests that the gateway has begun to handle. */
const begun: string[] = [];
beforeAll(async () => {
  const log = { ...silentLog, arrived: ({ path }: { path: string }) => void begun.push(path) };
  running = await startFixture({ log });
});
afterAll(() => running.stop());

const requestTo = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** A connection to the gateway that has sent these requests. */
async function sending(requests: string): Promise<Socket> {
  const { hostname, port } = new URL(running.host.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(requests);
  return socket;
}

/** What comes in until this many responses are there. */
async function responses(socket: Socket, count: number): Promise<string[]> {
  let text = '';
  while (text.split('HTTP/1.1 ').length - 1 < count || !text.endsWith('}')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    text += chunk.toString();
  }
  return text.split('HTTP/1.1 ').slice(1);
}

test('Requests that a client sends ahead on one connection are handled one at a time, in their order', async () => {
  const slow = await slowServer();
  const [first, second] = [requestTo(`/behave/wait?${slow.query}`), requestTo('/echo')];
  const socket = await sending(first + second);
  await slow.asked(1);
  // Whoever asks in between is answered, and nothing of the second request has happened yet.
  await fetch(`${running.host.url}/behave/greeting`);
  expect(begun).toEqual(['/behave/wait', '/behave/greeting']);
  slow.answer();
  const [one = '', two = ''] = await responses(socket, 2);
  expect([one, two].map((response) => response.slice(0, 3))).toEqual(['200', '200']);
  expect(two).toContain('"rawPath":"/echo"');
});

test('A client that sends more than 100 requests ahead is cut off', async () => {
  const slow = await slowServer();
  const allowed = await sending(requestTo(`/behave/wait?${slow.query}`) + requestTo('/echo').repeat(100));
  const cutOff = await sending(requestTo(`/behave/wait?${slow.query}`) + requestTo('/echo').repeat(101));
  cutOff.resume();
  await once(cutOff, 'close');
  await slow.asked(1);
  slow.answer();
  expect(await responses(allowed, 101)).toHaveLength(101);
});

test('A client that ends its side of the connection after its requests gets all responses, and then the end', async () => {
  const slow = await slowServer();
  const socket = await sending(requestTo(`/behave/wait?${slow.query}`) + requestTo('/echo'));
  socket.end();
  await slow.asked(1);
  const ended = once(socket, 'end');
  slow.answer();
  const all = await responses(socket, 2);
  expect(all.map((response) => response.slice(0, 3))).toEqual(['200', '200']);
  await ended;
});
