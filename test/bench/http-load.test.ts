import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { load } from './http-load.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** The URL of a server with this listener. */
async function serving(answer: RequestListener): Promise<string> {
  const started = createServer(answer);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const address = started.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const request = { method: 'POST', path: '/', body: { text: 'Ada' } };
/** Ends with the requests, not with the time. */
const five = { connections: 2, seconds: 60, most: 5, next: () => request };

test('Each request is sent once, as it is, and its response of several parts is waited for', async () => {
  const bodies: string[] = [];
  const url = await serving(async (sent, response) => {
    bodies.push(Buffer.concat(await sent.toArray()).toString());
    response.writeHead(200, { 'content-length': 200_000 }).write('x'.repeat(100_000));
    response.end('y'.repeat(100_000));
  });

  const { times, failures } = await load(url, { ...five, containing: 'yyy' });

  expect([times.length, failures]).toEqual([5, 0]);
  expect(bodies).toEqual(Array(5).fill('{"text":"Ada"}'));
});

test('Another status, another text, no length and a closed connection are failures, of which the first is reported', async () => {
  const answers: RequestListener[] = [
    (_, response) => response.writeHead(500, { 'content-length': 4 }).end('Ouch'),
    (_, response) => response.writeHead(200, { 'content-length': 2 }).end('{}'),
    (_, response) => response.writeHead(200, { 'transfer-encoding': 'chunked' }).end('expected'),
    (sent) => sent.socket.destroy(),
    (_, response) => response.writeHead(200, { 'content-length': 8 }).end('expected'),
  ];
  const url = await serving((sent, response) => answers.shift()?.(sent, response));

  const loaded = await load(url, { ...five, connections: 1, containing: 'expected' });

  expect(loaded).toMatchObject({ times: [expect.any(Number)], failures: 4 });
  expect(loaded.firstProblem).toBe('POST / returned 500: Ouch');
});

test('Requests beside are counted for themselves, and do not wait for each other', async () => {
  let waiting = 0;
  const url = await serving((sent, response) => {
    const answer = () => response.writeHead(201, { 'content-length': 0 }).end();
    waiting += sent.method === 'PUT' ? 1 : 0;
    const timer = setInterval(() => {
      // The requests at a steady rate get no response until two of them are waiting.
      if (sent.method !== 'PUT' || waiting >= 2) {
        clearInterval(timer);
        answer();
      }
    }, 1);
  });

  const { beside, failures } = await load(url, {
    ...{ connections: 1, seconds: 1, next: () => request },
    beside: [{ perSecond: 50, next: () => ({ method: 'PUT', path: '/', status: 201 }) }],
  });

  expect(failures).toBe(0);
  expect(beside.failures).toBe(0);
  expect(beside.times.length).toBeGreaterThanOrEqual(2);
});
