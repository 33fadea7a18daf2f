import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test } from 'vitest';
import { after, day, hour, minute, second } from '../../shared/kernel/time.ts';
import { timedOut } from '../contacts/faulty-table.ts';
import { setUpFaultyTable } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';
import { workflowToggled } from '../live/live-product.ts';
import { startReceiver } from '../outgoing-posts/receiver.ts';
import { newEndpoint } from './endpoints.ts';
import { recordPosts } from './recorded-posts.ts';
import { setUpWebhookProduct } from './webhook-product.ts';

const webhooks = await setUpWebhookProduct();
const { product } = webhooks;
const faults = setUpFaultyTable();
afterEach(() => faults.clear());

/** An organization with an endpoint whose receiver answers so. */
async function setUp(
  answer: Parameters<typeof recordPosts>[0] = () => ({ status: 200 }),
  fields: object = {},
) {
  const admin = await product.newOrganization();
  const posts = recordPosts(answer);
  const receiver = await startReceiver(posts.listener);
  const endpoint = await newEndpoint(product, admin, {
    url: `http://127.0.0.1:${receiver.port}/hooks`,
    ...fields,
  });
  return {
    admin,
    ...endpoint,
    received: posts.received,
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

const update = async ({ token }: Person, id: string, body: object) =>
  expectStatus(await product.call('update-webhook-endpoint', { token, path: { id }, body }), 200).data;

test('An endpoint gets the events that only one user sees', async () => {
  await using one = await setUp();
  const { userId } = one.admin;
  const id = await webhooks.emit(one.admin, { ...workflowToggled, audience: { kind: 'user', userId } });
  await webhooks.post();
  expect(one.received.map(({ headers }) => headers['webhook-id'])).toEqual([id]);
});

test('An endpoint gets an event with the organization, signed, whoever may see the record', async () => {
  await using one = await setUp();
  const rep = await product.newColleague(one.admin);
  const id = await webhooks.emit(one.admin, {
    ...workflowToggled,
    audience: { kind: 'record', people: [rep.userId] },
  });
  await webhooks.post();
  const [post] = one.received;
  expect(new Webhook(one.secret).verify(post?.body ?? '', post?.headers ?? {})).toMatchObject({
    ...{ id, event: 'workflow_updated', at: expect.any(String), data: workflowToggled.data },
    organizationId: one.admin.organizationId,
  });
  expect(post?.headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' });
  const [delivery] = await webhooks.deliveries(one.admin, one.id);
  expect(delivery).toMatchObject({
    ...{ event: 'workflow_updated', eventId: id, status: 'delivered' },
    attempts: [{ status: 200, response: '' }],
  });
  const path = { id: delivery._id };
  const read = await product.call('read-webhook-delivery', { token: one.admin.token, path });
  expect(expectStatus(read, 200).data).toEqual(delivery);
  const foreign = await product.newOrganization();
  expect(outcome(await product.call('read-webhook-delivery', { token: foreign.token, path }))).toEqual(
    failure(404, 'Webhook delivery not found'),
  );
});

test('An endpoint gets the events whose names it has, and none while it is off', async () => {
  await using one = await setUp(undefined, { events: ['contact_created'] });
  await webhooks.emit(one.admin);
  expect(webhooks.queue.waiting).toEqual([]);
  await update(one.admin, one.id, { events: ['workflow_updated'] });
  const id = await webhooks.emit(one.admin);
  await webhooks.post();
  await update(one.admin, one.id, { isActive: false });
  await webhooks.emit(one.admin);
  await webhooks.post();
  expect(one.received.map(({ headers }) => headers['webhook-id'])).toEqual([id]);
});

test('An organization without endpoints pays nothing for them: one read, no message, no write', async () => {
  const admin = await product.newOrganization();
  await webhooks.emit(admin);
  expect(webhooks.consumed()).toMatchObject({ requests: 1, readUnits: 1, writeUnits: 0 });
  expect(webhooks.queue.waiting).toEqual([]);
});

test('A message that comes again changes no delivery, and is not posted again', async () => {
  await using one = await setUp();
  const id = await webhooks.emit(one.admin);
  const [message] = webhooks.queue.waiting;
  await webhooks.post();
  await webhooks.deliver([id]);
  expect(webhooks.queue.waiting[0]?.body).toBe(message?.body);
  await webhooks.post();
  expect(one.received).toHaveLength(1);
  expect(await webhooks.deliveries(one.admin, one.id)).toMatchObject([{ status: 'delivered' }]);
});

test('While the queue takes nothing, the message of the event fails and comes again', async () => {
  await using one = await setUp();
  webhooks.queue.behave('refuses');
  await expect(webhooks.emit(one.admin)).rejects.toThrow('not delivered');
  webhooks.queue.behave('takes');
  const [pending] = await webhooks.deliveries(one.admin, one.id);
  expect(pending).toMatchObject({ status: 'pending', attempts: [] });
  await webhooks.deliver([pending.eventId]);
  await webhooks.post();
  expect(one.received.map(({ headers }) => headers['webhook-id'])).toEqual([pending.eventId]);
});

test('What fails is posted again eight times, with the same bytes and id, and then has failed', async () => {
  await using one = await setUp(() => ({ status: 500, body: 'x'.repeat(5_000) }));
  const begin = new Date();
  const id = await webhooks.emit(one.admin, workflowToggled, begin);
  await webhooks.post(begin);
  const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour];
  let now = begin;
  for (const [failed, delay] of delays.entries()) {
    const [{ status, attempts, nextAttemptAt }] = await webhooks.deliveries(one.admin, one.id);
    expect({ status, attempts: attempts.length }).toEqual({ status: 'pending', attempts: failed + 1 });
    const wait = Date.parse(nextAttemptAt) - now.getTime();
    expect(Math.abs(wait - delay)).toBeLessThanOrEqual(delay / 10);
    await webhooks.retry(after(now, wait / 2));
    now = new Date(nextAttemptAt);
    await webhooks.retry(now);
  }
  const [delivery] = await webhooks.deliveries(one.admin, one.id, { status: 'failed' });
  expect(delivery).toMatchObject({ status: 'failed', eventId: id });
  expect(delivery).not.toHaveProperty('reason');
  expect(delivery.attempts).toHaveLength(9);
  expect(delivery.attempts[8]).toEqual({
    ...{ at: now.toISOString(), status: 500, milliseconds: expect.any(Number) },
    response: 'x'.repeat(1_024),
  });
  expect(new Set(one.received.map(({ body }) => body)).size).toBe(1);
  expect(new Set(one.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
  await webhooks.retry(after(now, 2 * day));
  expect(one.received).toHaveLength(9);
});

test('Events that fail together are posted again together, by one message', async () => {
  let status = 500;
  await using one = await setUp(() => ({ status }));
  const now = new Date();
  const ids = await webhooks.happenTogether(one.admin.organizationId, workflowToggled, 40);
  await webhooks.deliver(ids, now);
  await webhooks.post(now);
  status = 200;
  const [{ nextAttemptAt }] = await webhooks.deliveries(one.admin, one.id);
  await webhooks.clock.run(new Date(nextAttemptAt));
  expect(webhooks.queue.waiting).toHaveLength(1);
  await webhooks.post(new Date(nextAttemptAt));
  expect(one.received).toHaveLength(80);
  const delivered = await webhooks.deliveries(one.admin, one.id, { status: 'delivered', limit: '100' });
  expect(delivered.map(({ eventId }) => eventId).sort()).toEqual([...ids].sort());
});

test('What has failed is posted again, also when the table did not take at once that it is due again', async () => {
  let status = 500;
  await using one = await setUp(() => ({ status }));
  const now = new Date();
  await webhooks.emit(one.admin, workflowToggled, now);
  const [message] = webhooks.queue.waiting;
  faults.always('PutItemCommand', async (next, input) =>
    JSON.stringify(input).includes('webhookRetry') ? timedOut(next) : next(),
  );
  await expect(webhooks.post(now)).rejects.toThrow('Not posted');
  faults.clear();
  await webhooks.queue.send(message?.body ?? '', { group: 'again' });
  await webhooks.post(now);
  expect(one.received).toHaveLength(1);
  status = 200;
  const [{ nextAttemptAt }] = await webhooks.deliveries(one.admin, one.id);
  await webhooks.retry(new Date(nextAttemptAt));
  expect(await webhooks.deliveries(one.admin, one.id)).toMatchObject([
    { status: 'delivered', attempts: [{ status: 500 }, { status: 200 }] },
  ]);
});

test.each([
  [503, '120', 2 * minute],
  [429, '60', minute],
  [503, '999999', day],
  [503, 'tomorrow', 5 * second],
  [500, '120', 5 * second],
])(
  'A receiver that says %i and Retry-After: %s is asked again after %i ms',
  async (status, retryAfter, wait) => {
    await using one = await setUp(() => ({ status, headers: { 'retry-after': retryAfter } }));
    const now = new Date();
    await webhooks.emit(one.admin, workflowToggled, now);
    await webhooks.post(now);
    const [{ nextAttemptAt }] = await webhooks.deliveries(one.admin, one.id);
    expect(Math.abs(Date.parse(nextAttemptAt) - now.getTime() - wait)).toBeLessThanOrEqual(second);
  },
);

test('Connections get their events while the queue of an endpoint takes nothing', async () => {
  await using one = await setUp();
  const { id: connection } = await webhooks.connect(one.admin.socketToken);
  const id = await webhooks.happen(one.admin.organizationId, workflowToggled);
  webhooks.queue.behave('refuses');
  await expect(webhooks.deliver([id])).rejects.toThrow('The events were not delivered');
  webhooks.queue.behave('takes');
  expect(webhooks.sockets.received(connection).map((frame) => frame.id)).toContain(id);
});

test('A delivery has failed when its next attempt would come after the end of its event', async () => {
  await using one = await setUp(() => ({ status: 503, headers: { 'retry-after': '86400' } }));
  const now = new Date();
  await webhooks.emit(one.admin, workflowToggled, now);
  await webhooks.post(now);
  for (const days of [1, 2, 3]) {
    await webhooks.retry(after(now, days * (day + minute)));
  }
  expect(await webhooks.deliveries(one.admin, one.id)).toMatchObject([{ status: 'failed' }]);
  expect(one.received).toHaveLength(4);
});

test('An address that is gone switches the endpoint off, also when the table did not take that at once', async () => {
  await using one = await setUp(() => ({ status: 410 }));
  await webhooks.emit(one.admin);
  const messages = webhooks.queue.take();
  const post = async () => {
    await Promise.all(messages.map(({ body, group }) => webhooks.queue.send(body, { group })));
    return webhooks.post();
  };
  faults.always('TransactWriteItemsCommand', timedOut);
  await expect(post()).rejects.toThrow('Not posted');
  faults.clear();
  await post();
  const call = { token: one.admin.token, path: { id: one.id } };
  const { data } = expectStatus(await product.call('read-webhook-endpoint', call), 200);
  expect(data).toMatchObject({ isActive: false, disabledReason: 'gone' });
});

test('A redirect is an attempt with its status, and is not followed', async () => {
  await using one = await setUp(() => ({ status: 302, headers: { location: '/elsewhere' } }));
  await webhooks.emit(one.admin);
  await webhooks.post();
  expect(await webhooks.deliveries(one.admin, one.id)).toMatchObject([
    { status: 'pending', attempts: [{ status: 302 }] },
  ]);
  expect(one.received).toHaveLength(1);
});

test('An address that is gone switches the endpoint off, and the administrators are told', async () => {
  let status = 500;
  await using one = await setUp(() => ({ status }));
  const pending = await webhooks.emit(one.admin);
  await webhooks.post();
  status = 410;
  await webhooks.emit(one.admin);
  await webhooks.post();
  const path = { id: one.id };
  const { token } = one.admin;
  expect(expectStatus(await product.call('read-webhook-endpoint', { token, path }), 200).data).toMatchObject({
    isActive: false,
    disabledReason: 'gone',
  });
  const failed = await webhooks.deliveries(one.admin, one.id, { status: 'failed' });
  expect(failed).toHaveLength(2);
  expect(failed).toContainEqual(expect.objectContaining({ eventId: pending, reason: 'endpoint_off' }));
  expect(await webhooks.deliveries(one.admin, one.id, { status: 'pending' })).toEqual([]);
  const { data } = expectStatus(await product.call('list-notifications', { token }), 200);
  expect(data[0]).toMatchObject({ type: 'webhook_endpoint_disabled' });
  const query = { event: 'webhook_endpoint_disabled' };
  const log = expectStatus(await product.call('list-event-logs', { token, query }), 200).data;
  expect(log).toMatchObject([
    { entity: { type: 'webhook_endpoint', id: one.id }, actor: { type: 'system' } },
  ]);

  await webhooks.retry(after(new Date(), 10 * minute));
  expect(one.received).toHaveLength(2);
  const replay = { token, path: { id: `${pending}${one.id}` } };
  expect((await product.call('replay-webhook-delivery', replay)).status).toBe(409);

  status = 200;
  expect(await update(one.admin, one.id, { isActive: true })).toMatchObject({
    isActive: true,
    disabledReason: null,
  });
  expect(await webhooks.deliveries(one.admin, one.id, { status: 'failed' })).toHaveLength(2);
  expect(expectStatus(await product.call('replay-webhook-delivery', replay), 202).data).toEqual({ count: 1 });
  await webhooks.post();
  const [delivered] = await webhooks.deliveries(one.admin, one.id, { status: 'delivered' });
  expect(delivered).toMatchObject({ eventId: pending, attempts: [{ status: 500 }, { status: 200 }] });
});

test('Five days in which all attempts fail switch the endpoint off; a success in between begins them anew', async () => {
  let status = 500;
  await using one = await setUp(() => ({ status }));
  const begin = new Date();
  const attempt = async (at: Date) => {
    await webhooks.emit(one.admin, workflowToggled, at);
    await webhooks.post(at);
    const call = { token: one.admin.token, path: { id: one.id } };
    return expectStatus(await product.call('read-webhook-endpoint', call), 200).data.isActive;
  };
  expect(await attempt(begin)).toBe(true);
  status = 200;
  expect(await attempt(after(begin, 4 * day))).toBe(true);
  status = 500;
  expect(await attempt(after(begin, 5 * day))).toBe(true);
  expect(await attempt(after(begin, 9 * day))).toBe(true);
  expect(await attempt(after(begin, 10 * day))).toBe(false);
});

test('A replay of a time posts exactly its events, with their ids, also those that the endpoint never got', async () => {
  await using one = await setUp(undefined, { isActive: false });
  const { token } = one.admin;
  const now = new Date();
  const at = (seconds: number) => after(now, -seconds * second);
  const ids: string[] = [];
  for (const seconds of [50, 40, 30, 20, 10]) {
    ids.push(await webhooks.emit(one.admin, workflowToggled, at(seconds)));
  }
  const path = { id: one.id };
  const body = { from: at(40).toISOString(), to: at(20).toISOString() };
  expect((await product.call('replay-webhook-events', { token, path, body })).status).toBe(409);
  await update(one.admin, one.id, { isActive: true });
  for (const _ of [1, 2]) {
    one.received.splice(0);
    const { data } = expectStatus(await product.call('replay-webhook-events', { token, path, body }), 202);
    expect(data).toEqual({ count: 3 });
    const message = webhooks.queue.waiting[0]?.body ?? '';
    await webhooks.post();
    expect(one.received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(ids.slice(1, 4));
    await webhooks.queue.send(message, { group: 'again' });
    await webhooks.post();
    expect(one.received).toHaveLength(3);
  }
  const none = { ...body, events: ['contact_created'] };
  expect(
    expectStatus(await product.call('replay-webhook-events', { token, path, body: none }), 202).data,
  ).toEqual({ count: 0 });
});

test('A replay of more than 10,000 events is refused, and posts nothing', async () => {
  await using one = await setUp();
  const now = new Date();
  await webhooks.happenOften(
    one.admin.organizationId,
    workflowToggled,
    Array.from({ length: 10_001 }, () => now),
  );
  const { token } = one.admin;
  const body = { from: after(now, -minute).toISOString(), to: after(now, minute).toISOString() };
  const refused = await product.call('replay-webhook-events', {
    token,
    path: { id: one.id },
    body,
    at: after(now, minute),
  });
  expect(outcome(refused)).toEqual(
    failure(400, 'The range has more than 10000 events. Replay shorter ones, one after the other.'),
  );
  expect(webhooks.queue.waiting).toEqual([]);
});

test('Endpoints have lanes of their own, and at most five posts at once', async () => {
  let open = 0;
  let most = 0;
  await using quick = await setUp();
  await using slow = await startReceiver((_, response) => {
    open += 1;
    most = Math.max(most, open);
    response.on('close', () => {
      open -= 1;
    });
    setImmediate(() => response.end());
  });
  const { id } = await newEndpoint(product, quick.admin, { url: `http://127.0.0.1:${slow.port}/` });
  const ids = await webhooks.happenTogether(quick.admin.organizationId, workflowToggled, 40);
  await webhooks.deliver(ids);
  expect(new Set(webhooks.queue.waiting.map(({ group }) => group)).size).toBe(2);
  await webhooks.post();
  expect(most).toBeLessThanOrEqual(5);
  expect(await webhooks.deliveries(quick.admin, id, { status: 'delivered', limit: '100' })).toHaveLength(40);
  expect(quick.received).toHaveLength(40);
});
