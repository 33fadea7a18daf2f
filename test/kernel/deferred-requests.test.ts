import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { type Operation, operation } from '../../shared/kernel/operation.ts';
import { type Runtime, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveDeferredRequests } from '../../shared/kernel/serve/serve-deferred-requests.ts';
import { serveDeferringHttp } from '../../shared/kernel/serve/serve-deferring-http.ts';
import { gatewayEvent } from '../harness/gateway.ts';
import { queueEvent, recordingQueue } from '../harness/queues.ts';

type Attempt = (wasDeferred: boolean) => Promise<Record<string, never>>;

/** A webhook that does this. */
const webhook = (attempt: Attempt) =>
  operation({
    route: 'POST /api/things',
    summary: 'Receive a thing',
    family: 'plain',
    minimumRole: 'anyone',
    output: z.object({}),
    defers: () => ({ group: 'things' }),
    uses: {},
    run: ({ sent }) => attempt(sent.wasDeferred === true),
  });

const never = () => new Promise<never>(() => undefined);

/** What Lambda passes to a function with so many milliseconds left. */
const remaining = (milliseconds: number) => ({ getRemainingTimeInMillis: () => milliseconds });

test.each([
  ['has a defect', 'TypeError', () => Promise.reject(new TypeError('things is not iterable'))],
  ['takes longer than its function may', 'TimeoutError', never],
])(
  'A request whose operation %s is deferred and 202, the log says why, and the next deployment applies it once, as one that was deferred',
  async (_, name, fail) => {
    const queue = recordingQueue();
    const providers = { deferredRequests: () => queue };
    const lines: Record<string, unknown>[] = [];
    const runtime: Runtime = { ...systemRuntime, log: (line) => void lines.push(line) };
    const attempts: boolean[] = [];
    const broken = webhook((wasDeferred) => {
      attempts.push(wasDeferred);
      return fail();
    });

    const { statusCode, body } = await serveDeferringHttp(
      'receive-thing',
      broken,
      providers,
      runtime,
    )(gatewayEvent('POST /api/things', {}, undefined), remaining(2_010));
    expect([statusCode, JSON.parse(body)]).toEqual([
      202,
      { success: true, message: 'Received. It will be processed within minutes.' },
    ]);
    // A level at which the alarm for defects goes off.
    expect(lines).toMatchObject([{ level: 'error', status: 202, deferred: true }]);
    expect(JSON.stringify(lines)).toContain(name);

    const bodies = queue.take().map((message) => message.body);
    const deliverTo = (taking: Operation) =>
      serveDeferredRequests([{ name: 'receive-thing', operation: taking, providers }], runtime)(
        queueEvent(bodies),
        remaining(510),
      );
    expect(await deliverTo(broken)).toEqual({ batchItemFailures: [{ itemIdentifier: '0' }] });

    const mended = webhook(async (wasDeferred) => {
      attempts.push(wasDeferred);
      return {};
    });
    expect(await deliverTo(mended)).toEqual({ batchItemFailures: [] });
    expect(attempts).toEqual([false, true, true]);
  },
);
