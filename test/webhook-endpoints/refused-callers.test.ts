import { afterEach, expect, test } from 'vitest';
import type { CallerRecords, InvocationScope, Provider } from '../../shared/kernel/ports.ts';
import { pause } from '../../shared/table/backoff.ts';
import { newApiKey } from '../api-keys/keys.ts';
import type { ApiResponse } from '../harness/call.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange } from '../harness/tenants.ts';
import replayReceipt from '../operations/replay-webhook-receipt.ts';
import { startReceiver } from '../outgoing-posts/receiver.ts';
import { deliveryFor, endpointFor } from './endpoints.ts';
import { recordPosts } from './recorded-posts.ts';

/** Nobody who may not have it so lets anything be sent, and nobody lets it be sent twice. */

const product = await setUpProduct();
const { webhookPosts, deferredRequests } = product.queues;
const callerRecords = product.providers.callerRecords as Provider;
const records = (scope: InvocationScope) => callerRecords(scope) as CallerRecords;
afterEach(() => {
  product.providers.callerRecords = callerRecords;
  webhookPosts.take();
  deferredRequests.take();
});

/** An administrator with an endpoint, and the requests that let something be sent to it. */
async function setUp() {
  const admin = await product.newOrganization();
  const posts = recordPosts(() => ({ status: 200 }));
  const receiver = await startReceiver(posts.listener);
  const { id } = await endpointFor(product, admin, { url: `http://127.0.0.1:${receiver.port}/` });
  const delivery = await deliveryFor(product, admin);
  const calls = {
    'replay-webhook-events': {
      path: { id },
      body: { from: '2026-01-01T00:00:00Z', to: '2099-12-31T00:00:00Z', events: ['workflow_updated'] },
    },
    'replay-webhook-delivery': { path: { id: delivery } },
    'test-webhook-endpoint': { path: { id } },
    'replay-webhook-receipt': await replayReceipt.request({ product, admin } as never, admin),
  };
  return {
    admin,
    calls,
    eventId: delivery.replace(id, ''),
    posted: () => posts.received.map(({ headers }) => headers['webhook-id']),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

/** What waits in the queues. */
const waiting = () => [...webhookPosts.waiting, ...deferredRequests.waiting];

/** Does this before the next caller is looked at, whom the gateway has let in. */
function beforeLook(work: () => Promise<unknown>): void {
  product.providers.callerRecords = (scope) => ({
    ...records(scope),
    async currentStanding() {
      product.providers.callerRecords = callerRecords;
      await work();
      return records(scope).currentStanding();
    },
  });
}

test('Who was an administrator when the token was made, and is none any more, lets nothing be sent', async () => {
  await using one = await setUp();
  for (const [name, call] of Object.entries(one.calls)) {
    const former = await product.newColleague(one.admin, 'ADMIN');
    const body = { accessRole: 'SALES_REP' };
    beforeLook(() =>
      arrange(product.call('update-user', { token: one.admin.token, path: { id: former.userId }, body })),
    );
    const { status } = await product.call(name, { ...call, token: former.token });
    expect([name, status, waiting(), one.posted()]).toEqual([name, 403, [], []]);
  }
});

test('An API key that has been deleted lets nothing be sent', async () => {
  await using one = await setUp();
  for (const [name, call] of Object.entries(one.calls)) {
    const { key, data } = await newApiKey(product, one.admin);
    beforeLook(() =>
      arrange(product.call('delete-api-key', { token: one.admin.token, path: { id: data._id } })),
    );
    const { status } = await product.call(name, { ...call, token: key });
    expect([name, status, waiting(), one.posted()]).toEqual([name, 401, [], []]);
  }
});

/** Sends equal requests with a key at once, each again as long as another one is running. */
async function sendTogether(name: string, call: object, { token }: Person): Promise<ApiResponse[]> {
  const keyed = { ...call, token, headers: { 'idempotency-key': `${name} once` } };
  const send = async (): Promise<ApiResponse> => {
    const response = await product.call(name, keyed);
    return response.status === 409 ? pause(5).then(send) : response;
  };
  return Promise.all(Array.from({ length: 10 }, send));
}

test('Ten equal requests with one key let it be sent once', async () => {
  await using one = await setUp();
  for (const [name, call] of Object.entries(one.calls)) {
    const [first, ...others] = await sendTogether(name, call, one.admin);
    expect(first?.status, first?.text).toBeLessThan(300);
    expect(others.map(({ text }) => text)).toEqual(others.map(() => first?.text));
  }
  // One of the event alone, and one of a time.
  const replay = { eventIds: [one.eventId] };
  expect(webhookPosts.waiting.map(({ body }) => JSON.parse(body))).toMatchObject([replay, replay]);
  expect(deferredRequests.waiting).toHaveLength(1);
  expect(one.posted()).toHaveLength(1);
});
