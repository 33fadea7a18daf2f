import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import type { OutgoingPost } from '../../shared/kernel/providers/outgoing-posts.ts';
import { resolveBySystem } from '../../shared/ports/outgoing-posts/checked-host.ts';
import { outgoingPosts } from '../../shared/ports/outgoing-posts.ts';
import { certificate, startRawReceiver, startReceiver, startTlsReceiver } from './receiver.ts';

const posts = outgoingPosts('local', resolveBySystem);

const milliseconds = expect.any(Number);

/** A post that nothing but the receiver ends on a busy machine, unless the test states less. */
function postTo(url: string, others: Partial<OutgoingPost> = {}) {
  return posts.post({ url, headers: {}, body: '{"a":1}', timeout: 60_000, keptBytes: 1024, ...others });
}

test('A receiver gets method, body and chosen headers, over a connection that ends with its answer', async () => {
  const got: { method?: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
  await using receiver = await startReceiver(async (request, response) => {
    got.push({ method: request.method, headers: request.headers, body: await text(request) });
    response.writeHead(201).end('thanks');
  });
  const headers = { 'content-type': 'application/json', 'webhook-id': 'evt_1' };

  const result = await postTo(`http://127.0.0.1:${receiver.port}/hooks?x=1`, { headers, body: '"ü"' });

  expect(result).toEqual({ status: 201, milliseconds, response: 'thanks' });
  expect(got).toEqual([
    {
      method: 'POST',
      body: '"ü"',
      headers: {
        ...headers,
        'user-agent': 'Switchboard',
        'content-length': '4',
        host: `127.0.0.1:${receiver.port}`,
        connection: 'close',
      },
    },
  ]);
});

test('Headers of the connection cannot be chosen: the host stays that of the URL, the length that of the body', async () => {
  const got: IncomingHttpHeaders[] = [];
  await using receiver = await startReceiver((request, response) => {
    got.push(request.headers);
    response.end();
  });

  await postTo(`http://localhost:${receiver.port}/`, {
    headers: {
      Host: 'metadata.internal',
      'Content-Length': '999',
      'transfer-encoding': 'chunked',
      connection: 'keep-alive, x-secret',
      Expect: '100-continue',
      upgrade: 'h2c',
      'proxy-authorization': 'Basic eA==',
    },
  });

  expect(got).toEqual([
    {
      host: `localhost:${receiver.port}`,
      'content-length': '7',
      'user-agent': 'Switchboard',
      connection: 'close',
    },
  ]);
});

test('A redirect is an answer like any other, and is not followed', async () => {
  const paths: (string | undefined)[] = [];
  await using receiver = await startReceiver((request, response) => {
    paths.push(request.url);
    response.writeHead(307, { location: '/elsewhere' }).end();
  });

  expect(await postTo(`http://127.0.0.1:${receiver.port}/`)).toEqual({
    status: 307,
    milliseconds,
    response: '',
  });
  expect(paths).toEqual(['/']);
});

test('A receiver that asks for patience is heard', async () => {
  await using receiver = await startReceiver((_, response) =>
    response.writeHead(503, { 'retry-after': '120' }).end('later'),
  );

  const result = await postTo(`http://127.0.0.1:${receiver.port}/`);

  expect(result).toEqual({ status: 503, milliseconds, response: 'later', retryAfter: '120' });
});

test('Of an answer without an end only the beginning is kept, and its connection ends', async () => {
  const { promise: isClosed, resolve: close } = Promise.withResolvers<number>();
  let sent = 0;
  await using receiver = await startReceiver((_, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const send = () => {
      while (!response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) {
          response.once('drain', send);
          return;
        }
      }
    };
    response.on('close', () => close(sent));
    send();
  });

  const result = await postTo(`http://127.0.0.1:${receiver.port}/`);

  expect(result).toEqual({ status: 200, milliseconds, response: 'x'.repeat(1024) });
  expect(await isClosed).toBeLessThan(50 * 1024 * 1024);
});

test('A character that the end of what is kept cuts in two is left out', async () => {
  await using receiver = await startReceiver((_, response) => response.end('aüü'));

  expect(await postTo(`http://127.0.0.1:${receiver.port}/`, { keptBytes: 4 })).toMatchObject({
    response: 'aü',
  });
});

test('A receiver that takes the request and never answers is given up when the time is over', async () => {
  await using receiver = await startReceiver(() => undefined);

  const result = await postTo(`http://127.0.0.1:${receiver.port}/`, { timeout: 300 });

  expect(result).toEqual({ error: 'timeout', milliseconds });
});

test('The status of a receiver whose body comes byte by byte counts when time is up, with what has come', async () => {
  await using body = await startReceiver((_, response) => {
    const timer = setInterval(() => response.write('x'), 10);
    response.on('close', () => clearInterval(timer));
  });

  const result = await postTo(`http://127.0.0.1:${body.port}/`, { timeout: 1_000, keptBytes: 1_000_000 });

  expect(result).toEqual({ status: 200, milliseconds, response: expect.stringMatching(/^x+$/) });
});

test('A receiver whose head comes byte by byte is given up, too', async () => {
  await using head = await startRawReceiver((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
    const timer = setInterval(() => socket.write('x'), 10);
    socket.on('close', () => clearInterval(timer));
  });
  await using information = await startRawReceiver((socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 10);
    socket.on('close', () => clearInterval(timer));
  });

  for (const { port } of [head, information]) {
    const result = await postTo(`http://127.0.0.1:${port}/`, { timeout: 300, keptBytes: 1_000_000 });
    expect(result).toEqual({ error: 'timeout', milliseconds });
  }
});

test('Whoever needs the answer no longer can end the attempt', async () => {
  const leaving = new AbortController();
  await using receiver = await startReceiver(() => leaving.abort());

  const result = await postTo(`http://127.0.0.1:${receiver.port}/`, { signal: leaving.signal });

  expect(result).toEqual({ error: 'timeout', milliseconds });
});

test.each<[string, (socket: Socket) => void]>([
  ['resets the connection', (socket) => socket.resetAndDestroy()],
  ['closes it without an answer', (socket) => socket.end()],
  ['breaks off in its answer', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')],
  ['speaks another protocol', (socket) => socket.end('220 mail.example.com ESMTP\r\n')],
  [
    'sends headers without an end',
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(1_000_000)}`),
  ],
  [
    'changes the protocol',
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  ],
])('A receiver that %s is a failed connection', async (_, handle) => {
  await using receiver = await startRawReceiver((socket) => socket.once('data', () => handle(socket)));

  expect(await postTo(`http://127.0.0.1:${receiver.port}/`)).toEqual({ error: 'connection', milliseconds });
});

test('Where nobody listens, the connection fails', async () => {
  const receiver = await startReceiver(() => undefined);
  await receiver[Symbol.asyncDispose]();

  expect(await postTo(`http://127.0.0.1:${receiver.port}/`)).toEqual({ error: 'connection', milliseconds });
});

test('A receiver whose TLS is broken, or whose certificate nobody trusts, is told apart', async () => {
  await using plain = await startReceiver((_, response) => response.end());
  await using garbage = await startRawReceiver((socket) => socket.end('no TLS at all'));
  await using untrusted = await startTlsReceiver((_, response) => response.end());

  for (const { port } of [plain, garbage, untrusted]) {
    expect(await postTo(`https://receiver.localhost:${port}/`)).toEqual({ error: 'tls', milliseconds });
  }
});

test('A handshake that never ends is given up when the time is over', async () => {
  await using silent = await startRawReceiver(() => undefined);

  const result = await postTo(`https://receiver.localhost:${silent.port}/`, { timeout: 300 });

  expect(result).toEqual({ error: 'timeout', milliseconds });
});

test('The name in the certificate must be that of the URL, although the address is chosen by us', async () => {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, certificate]);
  const names: unknown[] = [];
  try {
    await using receiver = await startTlsReceiver((request, response) => {
      names.push([(request.socket as TLSSocket).servername, request.headers.host]);
      response.end('safe');
    });
    const { port } = receiver;

    expect(await postTo(`https://receiver.localhost:${port}/`)).toMatchObject({
      status: 200,
      response: 'safe',
    });
    expect(await postTo(`https://other.localhost:${port}/`)).toEqual({ error: 'tls', milliseconds });
    expect(await postTo(`https://127.0.0.1:${port}/`)).toEqual({ error: 'tls', milliseconds });
    expect(names).toEqual([['receiver.localhost', `receiver.localhost:${port}`]]);
  } finally {
    setDefaultCACertificates(trusted);
  }
});

test('A name is resolved once for each attempt, and what it resolves to later changes nothing', async () => {
  const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1', '10.0.0.1'], ['127.0.0.1']];
  let asked = 0;
  const changing = outgoingPosts('local', async () => answers[asked++] ?? []);
  await using receiver = await startReceiver((_, response) => response.end('here'));
  const post = {
    url: `http://changing.example.com:${receiver.port}/`,
    headers: {},
    body: '',
    timeout: 60_000,
    keptBytes: 10,
  };

  expect(await changing.post(post)).toMatchObject({ status: 200, response: 'here' });
  expect(await changing.post(post)).toMatchObject({ error: 'refused_address' });
  expect(await changing.post(post)).toMatchObject({ error: 'refused_address' });
  expect(await changing.post(post)).toMatchObject({ status: 200, response: 'here' });
  expect(asked).toBe(4);
});

test('A name whose server is silent takes no longer than the time of the attempt', async () => {
  const silent = outgoingPosts('https', () => new Promise(() => undefined));

  const post = { url: 'https://silent.example.com/', headers: {}, body: '', timeout: 300, keptBytes: 10 };
  expect(await silent.post(post)).toEqual({ error: 'timeout', milliseconds });
});

test('Where the first address does not answer, the connection goes to the next that was checked', async () => {
  await using receiver = await startReceiver((_, response) => response.end('second'));
  const several = outgoingPosts('local', async () => ['127.0.0.99', '127.0.0.1']);

  const result = await several.post({
    url: `http://several.example.com:${receiver.port}/`,
    headers: {},
    body: '',
    timeout: 60_000,
    keptBytes: 10,
  });

  expect(result).toMatchObject({ status: 200, response: 'second' });
});
