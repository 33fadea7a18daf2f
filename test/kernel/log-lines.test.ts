import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { Refused } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { type Runtime, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveAuthorizer } from '../../shared/kernel/serve/serve-authorizer.ts';
import { serveDeployment } from '../../shared/kernel/serve/serve-deployment.ts';
import { serveHttp } from '../../shared/kernel/serve/serve-http.ts';
import { serveSchedule } from '../../shared/kernel/serve/serve-schedule.ts';
import { serveSocket } from '../../shared/kernel/serve/serve-socket.ts';
import { serveStream } from '../../shared/kernel/serve/serve-stream.ts';
import {
  authorizerOperation,
  deploymentOperation,
  scheduleOperation,
  socketOperation,
  streamOperation,
} from '../../shared/kernel/trigger.ts';

afterEach(() => vi.restoreAllMocks());

const summary = 'Fail';
const run = () => Promise.reject(new Error('Broken'));
const definition = { summary, uses: {}, run };

/** A function of each kind whose operation fails. */
const failing: Record<string, (runtime: Runtime) => (event: never, context: unknown) => Promise<unknown>> = {
  http: (runtime) =>
    serveHttp(
      'fail',
      operation({
        ...definition,
        route: 'GET /api/things',
        family: 'plain',
        minimumRole: 'anyone',
        output: z.object({}),
      }),
      {},
      runtime,
    ),
  socket: (runtime) => serveSocket('fail', socketOperation({ ...definition, on: 'ping' }), {}, runtime),
  authorizer: (runtime) => serveAuthorizer('fail', authorizerOperation(definition), {}, runtime),
  schedule: (runtime) =>
    serveSchedule('fail', scheduleOperation({ ...definition, on: { everyMinutes: 1 } }), {}, runtime),
  deployment: (runtime) => serveDeployment('fail', deploymentOperation(definition), {}, runtime),
  stream: (runtime) => {
    const on = { change: 'INSERT', sortPrefix: '' } as const;
    const failing = streamOperation({ ...definition, reader: 'live', on });
    return serveStream([{ name: 'fail', operation: failing, providers: {} }], runtime);
  },
};

/** What every kind finds in its event. */
const event = {
  rawPath: '/api/things',
  headers: {},
  requestContext: {
    requestId: 'of the gateway',
    connectionId: 'c',
    routeKey: 'ping',
    http: { method: 'GET', path: '/api/things', sourceIp: '192.0.2.1' },
  },
  RequestType: 'Create',
  Records: [{ eventName: 'INSERT', dynamodb: { Keys: { pk: { S: 'p' }, sk: { S: 's' } } } }],
} as never;

test.each(Object.entries(failing))(
  'The log line of a function (%s) has the id under which the platform speaks of the invocation',
  async (_, serve) => {
    const lines: Record<string, unknown>[] = [];
    const runtime = { ...systemRuntime, log: (line: Record<string, unknown>) => void lines.push(line) };
    await serve(runtime)(event, { awsRequestId: 'of the platform' }).catch(() => undefined);

    expect(lines).toEqual([
      expect.objectContaining({ operation: 'fail', level: 'error', awsRequestId: 'of the platform' }),
    ]);
  },
);

test('A defect while the response to an error is made is a 500, too, and the log line tells of it', async () => {
  const lines: Record<string, unknown>[] = [];
  const runtime = { ...systemRuntime, log: (line: Record<string, unknown>) => void lines.push(line) };
  const refusing = operation({
    ...definition,
    route: 'GET /api/things',
    family: 'plain',
    minimumRole: 'anyone',
    output: z.object({}),
    run: () => Promise.reject(new Refused('invalid')),
    refusal() {
      throw new Error('No words for it');
    },
  });
  expect(await serveHttp('refuse', refusing, {}, runtime)(event)).toMatchObject({ statusCode: 500 });
  const defect = expect.objectContaining({ message: 'No words for it' });
  expect(lines).toEqual([expect.objectContaining({ level: 'error', status: 500, defect })]);
});

const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const withHeaders = (headers: Record<string, string>) => ({ ...(event as object), headers }) as never;

async function lineOf(kind: string, sent: never, context: unknown = {}): Promise<Record<string, unknown>> {
  const lines: Record<string, unknown>[] = [];
  const runtime = { ...systemRuntime, log: (line: Record<string, unknown>) => void lines.push(line) };
  await failing[kind]?.(runtime)(sent, context).catch(() => undefined);
  return lines[0] ?? {};
}

test.each(['http', 'socket', 'authorizer'])(
  'The log line of a request (%s) has the trace that its sender is in',
  async (kind) => {
    expect(await lineOf(kind, withHeaders({ traceparent: trace }))).toMatchObject({ traceparent: trace });
  },
);

test.each([
  ['no trace', undefined],
  ['nothing', ''],
  ['words', 'my password'],
  ['a further field', `${trace}-ada@example.com`],
  ['two headers', `${trace},${trace}`],
  ['a line break', `${trace}\n`],
  ['capital letters', trace.toUpperCase()],
  ['a version that is forbidden', trace.replace(/^00/, 'ff')],
  ['an empty trace', trace.replace(/-\w{32}-/, `-${'0'.repeat(32)}-`)],
  ['an empty parent', trace.replace(/-\w{16}-/, `-${'0'.repeat(16)}-`)],
])('The log line of a request keeps no traceparent with %s', async (_, traceparent) => {
  const headers = traceparent === undefined ? {} : { traceparent };
  expect(await lineOf('http', withHeaders(headers))).not.toHaveProperty('traceparent');
});

test('The log lines of the first invocation of a process say so, also if there are several, and later ones do not', async () => {
  vi.resetModules();
  const { served } = await import('../../shared/kernel/serve/served.ts');
  const lines: Record<string, unknown>[] = [];
  const runtime = { ...systemRuntime, log: (line: Record<string, unknown>) => void lines.push(line) };
  const handle = (name: string) =>
    served({ name, providers: {}, runtime }, { run: async () => true, recover: () => false });
  const [first, second] = [{}, {}];
  await handle('one')('event', first);
  await handle('other')('event', first);
  await handle('one')('event', second);
  expect(lines.map(({ operation, coldStart }) => [operation, coldStart])).toEqual([
    ['one', true],
    ['other', true],
    ['one', undefined],
  ]);
});

test('The log line of a route with parameters has the ids that the service made, and nothing else that was sent in their place', async () => {
  const lines: Record<string, unknown>[] = [];
  const runtime = { ...systemRuntime, log: (line: Record<string, unknown>) => void lines.push(line) };
  const numbers = operation({
    summary,
    route: 'GET /api/things/{id}/numbers/{number}',
    family: 'plain',
    minimumRole: 'anyone',
    descriptions: { number: 'A number.' },
    output: z.object({}),
    uses: {},
    run,
  } as never);
  const asked = (id: string) => ({ ...(event as object), pathParameters: { id, number: '+13035550100' } });
  for (const id of ['01KF0EY6SKVRTJ88B872195D27', 'ada@example.com']) {
    await serveHttp('numbers', numbers, {}, runtime)(asked(id) as never);
  }
  const [known, typed] = lines;
  expect(known).toMatchObject({
    route: '/api/things/{id}/numbers/{number}',
    path: '/api/things/01KF0EY6SKVRTJ88B872195D27/numbers/{number}',
  });
  expect(typed).toMatchObject({ route: '/api/things/{id}/numbers/{number}' });
  expect(typed).not.toHaveProperty('path');
});

test('A log line is one line of JSON with the time in RFC 3339, without which the platform would take an error for information', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  systemRuntime.log({ level: 'error', operation: 'fail' });

  const [[text]] = write.mock.calls as unknown as [[string]];
  const { timestamp, ...line } = JSON.parse(text);
  expect(line).toEqual({ level: 'error', operation: 'fail' });
  expect(timestamp).toBe(new Date(timestamp).toISOString());
  expect(text.match(/\n/g)).toHaveLength(1);
});
