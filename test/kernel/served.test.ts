import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { startServer } from '../../infra/local/listening.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { type Runtime, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveDeployment } from '../../shared/kernel/serve/serve-deployment.ts';
import { serveHttp } from '../../shared/kernel/serve/serve-http.ts';
import { serveQueue } from '../../shared/kernel/serve/serve-queue.ts';
import { serveSchedule } from '../../shared/kernel/serve/serve-schedule.ts';
import { serveSocket } from '../../shared/kernel/serve/serve-socket.ts';
import { serveStream } from '../../shared/kernel/serve/serve-stream.ts';
import {
  deploymentOperation,
  queueOperation,
  type StreamOperation,
  scheduleOperation,
  socketOperation,
  streamOperation,
} from '../../shared/kernel/trigger.ts';

/** A runtime that keeps its log lines. */
function recording(): Runtime & { lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  return { ...systemRuntime, lines, log: (line) => void lines.push(line) };
}

const conflict = () => Promise.reject(new Failure('CONFLICT', 'Somebody else was faster.'));

const httpEvent = {
  rawPath: '/api/things',
  headers: {},
  requestContext: { requestId: 'r', http: { method: 'GET', path: '/api/things', sourceIp: '192.0.2.1' } },
};

const things = (run: () => Promise<Record<string, never>>) =>
  operation({
    route: 'GET /api/things',
    summary: 'List things',
    family: 'plain',
    minimumRole: 'anyone',
    output: z.object({}),
    uses: {},
    run,
  });

test('A failure that a caller can correct is logged as information where there is a caller', async () => {
  const runtime = recording();
  const { statusCode } = await serveHttp('list-things', things(conflict), {}, runtime)(httpEvent);
  expect(statusCode).toBe(409);
  expect(runtime.lines).toEqual([expect.objectContaining({ level: 'info', status: 409 })]);
});

test('A failure that a caller can correct is an error with its stack in what runs by the clock, where nobody can correct it', async () => {
  const runtime = recording();
  const tick = scheduleOperation({ on: { everyMinutes: 1 }, summary: 'Tick', uses: {}, run: conflict });
  await expect(serveSchedule('tick', tick, {}, runtime)()).rejects.toThrow(
    'tick could not do all of its work',
  );
  expect(runtime.lines).toEqual([
    expect.objectContaining({
      level: 'error',
      defect: expect.objectContaining({ message: 'Somebody else was faster.', stack: expect.any(String) }),
    }),
  ]);
});

test('A failure that a caller can correct is an error on a socket, which responds with 500', async () => {
  const runtime = recording();
  const ping = socketOperation({ on: 'ping', summary: 'Ping', uses: {}, run: conflict });
  const event = { requestContext: { connectionId: 'c', requestId: 'r', routeKey: 'ping' } };
  expect(await serveSocket('ping', ping, {}, runtime)(event)).toMatchObject({ statusCode: 500 });
  expect(runtime.lines).toEqual([
    expect.objectContaining({
      level: 'error',
      defect: expect.objectContaining({ message: 'Somebody else was faster.' }),
    }),
  ]);
});

const never = () => new Promise<never>(() => undefined);

/** What Lambda passes to a function with so many milliseconds left. */
const remaining = (milliseconds: number) => ({ getRemainingTimeInMillis: () => milliseconds });

test('A request that takes longer than its function may gets an error in the shape of its family, and is logged, before the platform ends it', async () => {
  const runtime = recording();
  const { statusCode, headers, body } = await serveHttp(
    'list-things',
    things(never),
    {},
    runtime,
  )(httpEvent, remaining(510));
  expect(statusCode).toBe(503);
  expect(headers).toMatchObject({ 'retry-after': '1', 'x-request-id': 'r' });
  expect(JSON.parse(body)).toEqual({ success: false, message: 'The service is busy. Try again shortly.' });
  expect(runtime.lines).toEqual([
    expect.objectContaining({
      level: 'error',
      status: 503,
      requestId: 'r',
      route: '/api/things',
      cause: expect.objectContaining({ name: 'TimeoutError' }),
    }),
  ]);
});

test('A frame that takes longer than its function may gets an error, and is logged, before the platform ends it', async () => {
  const runtime = recording();
  const ping = socketOperation({ on: 'ping', summary: 'Ping', uses: {}, run: never });
  const event = { requestContext: { connectionId: 'c', requestId: 'r', routeKey: 'ping' } };
  const { statusCode } = await serveSocket('ping', ping, {}, runtime)(event, remaining(510));
  expect(statusCode).toBe(500);
  expect(runtime.lines).toEqual([expect.objectContaining({ level: 'error', requestId: 'r' })]);
});

test('A run by the clock that takes longer than its function may fails loudly', async () => {
  const runtime = recording();
  const tick = scheduleOperation({ on: { everyMinutes: 1 }, summary: 'Tick', uses: {}, run: never });
  await expect(serveSchedule('tick', tick, {}, runtime)(undefined, remaining(510))).rejects.toThrow(
    'tick could not do all of its work',
  );
  expect(runtime.lines).toEqual([expect.objectContaining({ level: 'error' })]);
});

test('A message of a queue that takes longer than its function may fails alone, with a log line, before the platform ends the whole batch', async () => {
  const runtime = recording();
  const send = queueOperation({
    queue: 'outgoingTexts',
    summary: 'Send',
    uses: {},
    run: (message) => (message === 'slow' ? never() : Promise.resolve({})),
  });
  const Records = ['slow', 'quick'].map((message) => ({
    messageId: message,
    body: JSON.stringify(message),
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: '0' },
  }));
  expect(await serveQueue('send', send, {}, runtime)({ Records }, remaining(510))).toEqual({
    batchItemFailures: [{ itemIdentifier: 'slow' }],
  });
  expect(runtime.lines.map(({ level }) => level)).toEqual(['info', 'error']);
});

test('A reader of the stream that takes longer than its function may fails alone, with a log line, before the platform ends all of them', async () => {
  const runtime = recording();
  const [slow, quick] = [never, () => Promise.resolve()].map((run) =>
    streamOperation({
      reader: 'background',
      on: { change: 'INSERT', sortPrefix: '' },
      summary: 'Read',
      uses: {},
      run,
    }),
  ) as [StreamOperation, StreamOperation];
  const readers = [
    { name: 'slow', operation: slow, providers: {} },
    { name: 'quick', operation: quick, providers: {} },
  ];
  const Records = [{ eventName: 'INSERT', dynamodb: { Keys: { pk: { S: 'p' }, sk: { S: 's' } } } }];
  await expect(serveStream(readers, runtime)({ Records }, remaining(510))).rejects.toThrow(
    'slow could not take this batch',
  );
  expect(runtime.lines.map(({ level, operation }) => [level, operation])).toEqual([
    ['info', 'quick'],
    ['error', 'slow'],
  ]);
});

test('A step of a deployment that takes longer than its function may is reported as failed, and CloudFormation need not wait for it in vain', async () => {
  const runtime = recording();
  const { promise: reported, resolve: report } = Promise.withResolvers<Record<string, unknown>>();
  const server = await startServer(
    createServer(async (request, response) => {
      report((await json(request)) as Record<string, unknown>);
      response.end();
    }),
    0,
  );
  const step = deploymentOperation({ summary: 'Make keys', uses: {}, run: never });
  const ids = { StackId: 's', RequestId: 'r', LogicalResourceId: 'Keys' };
  try {
    await serveDeployment(
      'make-keys',
      step,
      {},
      runtime,
    )(
      { RequestType: 'Create', ResponseURL: server.endpoint, ...ids, ResourceProperties: {} },
      remaining(510),
    );
  } finally {
    await server.stop();
  }
  expect(await reported).toMatchObject({ Status: 'FAILED', ...ids });
  expect(runtime.lines).toEqual([expect.objectContaining({ level: 'error' })]);
});

test('Work with time left is not cut short', async () => {
  const runtime = recording();
  const quick = things(async () => ({}));
  const { statusCode } = await serveHttp('list-things', quick, {}, runtime)(httpEvent, remaining(10_000));
  expect(statusCode).toBe(200);
});
