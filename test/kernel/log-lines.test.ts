import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
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

test('A log line is one line of JSON with the time in RFC 3339, without which the platform would take an error for information', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  systemRuntime.log({ level: 'error', operation: 'fail' });

  const [[text]] = write.mock.calls as unknown as [[string]];
  const { timestamp, ...line } = JSON.parse(text);
  expect(line).toEqual({ level: 'error', operation: 'fail' });
  expect(timestamp).toBe(new Date(timestamp).toISOString());
  expect(text.match(/\n/g)).toHaveLength(1);
});
