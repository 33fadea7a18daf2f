import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newApiKey } from '../api-keys/keys.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';
import { startReceiver } from '../outgoing-posts/receiver.ts';
import { closedUrl, newEndpoint } from './endpoints.ts';
import { recordPosts } from './recorded-posts.ts';

const product = await setUpProduct();
const admin = await product.newOrganization();
const { token } = admin;
const hour = 3_600_000;

test('An endpoint shows its secret when it is created, and never again', async () => {
  const { id, secret, data } = await newEndpoint(product, admin, { description: 'Leads' });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(data).toMatchObject({ url: closedUrl, events: ['*'], description: 'Leads', isActive: true });
  const read = expectStatus(await product.call('read-webhook-endpoint', { token, path: { id } }), 200);
  expect(read.data).toEqual(data);
  const listed = expectStatus(await product.call('list-webhook-endpoints', { token }), 200);
  expect(listed.data[0]).toEqual(data);
  expect(JSON.stringify([read, listed])).not.toContain('whsec_');
});

test('The table has no secret as a text', async () => {
  const { id, secret } = await newEndpoint(product, admin);
  const { table } = product.tableOf(admin.organizationId);
  const stored = await table.list({ partition: ['WEBHOOKS'] });
  expect(stored.map(({ data }) => (data as { _id?: string })?._id)).toContain(id);
  expect(JSON.stringify(stored)).not.toContain(secret.slice('whsec_'.length));
});

test.each([
  ['http://10.0.0.1/hooks', 'not, or not only, on the public internet'],
  ['https://user:secret@example.com/', 'user name or a password'],
  ['https://example.com:22/', 'port'],
  ['ftp://example.com/', 'must begin with'],
  ['hooks', 'cannot be read'],
])('%s is refused: %s', async (url, reason) => {
  const { status, body } = await product.call('create-webhook-endpoint', {
    token,
    body: { url, events: ['*'] },
  });
  expect({ status, message: body.message }).toEqual({
    status: 400,
    message: expect.stringContaining(reason),
  });
  const { id } = await newEndpoint(product, admin, { isActive: false });
  expect((await product.call('update-webhook-endpoint', { token, path: { id }, body: { url } })).status).toBe(
    400,
  );
});

test('A name that does not resolve is taken, and the message says so', async () => {
  const body = { url: 'https://nobody.invalid/hooks', events: ['contact_created'] };
  const created = expectStatus(await product.call('create-webhook-endpoint', { token, body }), 201);
  expect(created.message).toMatch(/^Webhook endpoint created\. The name nobody\.invalid does not resolve/);
});

test('An event that does not exist is refused', async () => {
  const body = { url: closedUrl, events: ['contact_exploded'] };
  expect((await product.call('create-webhook-endpoint', { token, body })).status).toBe(400);
});

test('An organization has at most 50 endpoints, however many are created at once', async () => {
  const other = await product.newOrganization();
  const create = () =>
    product.call('create-webhook-endpoint', { token: other.token, body: { url: closedUrl, events: ['*'] } });
  const statuses: number[] = [];
  while (statuses.length < 55) {
    const some = await Promise.all(Array.from({ length: 5 }, create));
    statuses.push(...some.map(({ status }) => status));
  }
  expect(statuses.filter((status) => status === 201)).toHaveLength(50);
  expect(outcome(await create())).toEqual(
    failure(409, 'The organization has 50 webhook endpoints. Delete one that nobody needs.'),
  );
  const [first] = expectStatus(
    await product.call('list-webhook-endpoints', { token: other.token }),
    200,
  ).data;
  expectStatus(
    await product.call('delete-webhook-endpoint', { token: other.token, path: { id: first._id } }),
    200,
  );
  expectStatus(await create(), 201);
});

test('A test posts a signed event and tells what came back', async () => {
  const posts = recordPosts(() => ({ status: 201, body: 'Thanks' }));
  await using receiver = await startReceiver(posts.listener);
  const { id, secret } = await newEndpoint(product, admin, { url: `http://127.0.0.1:${receiver.port}/` });
  const { data } = expectStatus(await product.call('test-webhook-endpoint', { token, path: { id } }), 200);
  expect(data).toEqual({ status: 201, milliseconds: expect.any(Number), body: 'Thanks' });
  const [post] = posts.received;
  expect(new Webhook(secret).verify(post?.body ?? '', post?.headers ?? {})).toMatchObject({
    id: post?.headers['webhook-id'],
    event: 'webhook_test',
    organizationId: admin.organizationId,
  });
});

test('A test of an address where nobody listens says so', async () => {
  const { id } = await newEndpoint(product, admin);
  const { data } = expectStatus(await product.call('test-webhook-endpoint', { token, path: { id } }), 200);
  expect(data).toEqual({ milliseconds: expect.any(Number), error: 'connection' });
});

test('During a rotation both secrets sign, afterwards the new one alone', async () => {
  const posts = recordPosts(() => ({ status: 200 }));
  await using receiver = await startReceiver(posts.listener);
  const { id, secret: first } = await newEndpoint(product, admin, {
    url: `http://127.0.0.1:${receiver.port}/`,
  });
  const rotated = expectStatus(
    await product.call('rotate-webhook-secret', { token, path: { id }, body: { overlapHours: 1 } }),
    200,
  );
  const second = rotated.secret as string;
  expect(second).not.toBe(first);
  const { key } = await newApiKey(product, admin);
  const signers = async (at?: Date) => {
    expectStatus(await product.call('test-webhook-endpoint', { token: key, path: { id }, at }), 200);
    const { body = '', headers = {} } = posts.received.at(-1) ?? {};
    const sentAt = Number(headers['webhook-timestamp']);
    const signatures = String(headers['webhook-signature']).split(' ');
    return [first, second].map((secret) =>
      signatures.includes(
        new Webhook(secret).sign(String(headers['webhook-id']), new Date(sentAt * 1_000), body),
      ),
    );
  };
  expect(await signers()).toEqual([true, true]);
  expect(await signers(new Date(Date.now() + 2 * hour))).toEqual([false, true]);
  const third = expectStatus(
    await product.call('rotate-webhook-secret', { token, path: { id }, body: { overlapHours: 0 } }),
    200,
  );
  expect(third.secret).not.toBe(second);
  expect(await signers()).toEqual([false, false]);
});

test('A repeated request for an endpoint does not show its secret again', async () => {
  const create = () =>
    product.call('create-webhook-endpoint', {
      token,
      headers: { 'idempotency-key': 'once' },
      body: { url: closedUrl, events: ['*'] },
    });
  const first = expectStatus(await create(), 201);
  const { secret: _, ...rest } = first;
  expect(expectStatus(await create(), 201)).toEqual({ ...rest, secretShown: true });
});

test('Nobody of another organization sees an endpoint', async () => {
  const { id } = await newEndpoint(product, admin);
  const foreign = await product.newOrganization();
  for (const name of [
    'read-webhook-endpoint',
    'update-webhook-endpoint',
    'delete-webhook-endpoint',
    'rotate-webhook-secret',
    'test-webhook-endpoint',
  ]) {
    const hasBody = name.startsWith('update') || name.startsWith('rotate');
    const call = { token: foreign.token, path: { id }, ...(hasBody && { body: {} }) };
    expect(outcome(await product.call(name, call))).toEqual(failure(404, 'Webhook endpoint not found'));
  }
});

test('The log tells who created, changed, rotated and deleted an endpoint, and no value', async () => {
  const other = await product.newOrganization();
  const call = { token: other.token, path: { id: (await newEndpoint(product, other)).id } };
  const steps = [
    ['update-webhook-endpoint', { description: 'Leads', isActive: false }],
    ['rotate-webhook-secret', {}],
    ['delete-webhook-endpoint', undefined],
  ] as const;
  for (const [name, body] of steps) {
    expectStatus(await product.call(name, { ...call, ...(body && { body }) }), 200);
  }
  const query = { entity: 'webhook_endpoint', entityId: call.path.id };
  const { data } = expectStatus(await product.call('list-event-logs', { token: other.token, query }), 200);
  const names = data.map(({ event, changed }: { event: string; changed: string[] }) => [event, changed]);
  expect(names).toHaveLength(4);
  expect(names).toEqual(
    expect.arrayContaining([
      ['webhook_endpoint_created', []],
      ['webhook_endpoint_updated', ['description', 'isActive']],
      ['webhook_endpoint_secret_rotated', []],
      ['webhook_endpoint_deleted', []],
    ]),
  );
  expect(data[0].actor).toEqual({ type: 'user', id: other.userId });
});

test('A key that is limited to groups cannot turn an endpoint, which gets the events of all groups', async () => {
  const { id } = await newEndpoint(product, admin, { events: ['lead_received'] });
  const { key } = await newApiKey(product, admin, { groups: ['Webhook endpoints'] });
  const change = (body: object) =>
    product.call('update-webhook-endpoint', { token: key, path: { id }, body });
  for (const body of [{ events: ['*'] }, { url: 'http://127.0.0.1:4000/' }]) {
    expect(outcome(await change(body))).toEqual(
      failure(403, 'An API key that is limited to groups may not change url or events.'),
    );
  }
  expect((await change({ description: 'Newsletter' })).status).toBe(200);
});
