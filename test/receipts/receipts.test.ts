import { afterEach, expect, test } from 'vitest';
import receiveSms from '../../functions/messages/receive-sms.ts';
import { maxDeliveries } from '../../shared/kernel/message-queue.ts';
import { serveDeferredRequests } from '../../shared/kernel/serve/serve-deferred-requests.ts';
import { after as later, minute } from '../../shared/kernel/time.ts';
import { deadRequestKey } from '../../shared/messages/webhook-receipt.ts';
import { timedOut } from '../contacts/faulty-table.ts';
import { conversationsClient } from '../conversations/client.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { deliverDeferred, queueEvent, runtimeAt } from '../harness/queues.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { newSid, newWebhookClient } from '../messages/webhook-client.ts';

const product = await setUpProduct();
const faults = setUpFaultyTable();
const queue = product.queues.deferredRequests;
const stream = await tableStream(product);
afterEach(() => {
  faults.clear();
  queue.take();
});

function failAll(): void {
  for (const command of ['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand'] as const) {
    faults.always(command, timedOut);
  }
  faults.always('TransactWriteItemsCommand', timedOut);
}

const bodies = () => queue.take().map(({ body }) => body);

async function receipts({ token }: Person, query: Record<string, string> = {}) {
  const { body } = await product.call('list-webhook-receipts', { token, query });
  expect(body.success, JSON.stringify(body)).toBe(true);
  return body.data;
}

const replay = ({ token }: Person, id: string) =>
  product.call('replay-webhook-receipt', { token, path: { id } });

/** Delivers deferred texts to a deployment that has a defect. */
async function deliverBroken(deferred: readonly string[], times: number): Promise<void> {
  const run = () => Promise.reject(new TypeError('undefined is not a function'));
  const broken = [{ name: 'receive-sms', operation: { ...receiveSms, run }, providers: product.providers }];
  const { batchItemFailures } = await serveDeferredRequests(
    broken,
    runtimeAt({}),
  )(queueEvent(deferred, times));
  expect(batchItemFailures).toHaveLength(deferred.length);
}

/** The texts in the conversations of an organization. */
async function texts(admin: Person): Promise<string[]> {
  const client = conversationsClient(product, admin);
  const { data } = expectStatus(await client.list(), 200);
  const lists = await Promise.all(
    data.map(async ({ _id }: { _id: string }) => (await client.messages(_id)).body.data),
  );
  return lists.flat().map(({ content }) => content);
}

/** Sends a text while the table is out of reach. @returns the message of the queue. */
async function deferText(webhook: Awaited<ReturnType<typeof newWebhookClient>>, text: string) {
  failAll();
  await webhook.textAsForm({ MessageSid: newSid(), From: newPhoneNumber(), Body: text });
  faults.clear();
  return bodies();
}

test('What was applied at once has no receipt', async () => {
  const admin = await product.newOrganization();
  const webhook = await newWebhookClient(product, admin, admin);
  expectStatus(await webhook.text({ MessageSid: newSid(), From: newPhoneNumber(), Body: 'Hello' }), 200);

  expect(await receipts(admin)).toEqual([]);
});

test('A deferred text has a receipt that says when it was applied, and what it became', async () => {
  const admin = await product.newOrganization();
  const webhook = await newWebhookClient(product, admin, admin);
  const deferred = await deferText(webhook, 'Later');

  await deliverBroken(deferred, 1);
  expect(await receipts(admin)).toEqual([
    {
      _id: expect.any(String),
      ...{ provider: 'smsprovider', kind: 'sms', status: 'kept', reason: 'deferred' },
      at: expect.any(String),
    },
  ]);
  expect(await deliverDeferred(product.providers, deferred, { times: 2 })).toEqual({ batchItemFailures: [] });

  const [receipt, ...others] = await receipts(admin);
  expect(others).toEqual([]);
  expect(receipt).toEqual({
    _id: expect.any(String),
    ...{ provider: 'smsprovider', kind: 'sms', status: 'applied' },
    at: expect.any(String),
    appliedAt: expect.any(String),
    refs: {
      messageId: expect.any(String),
      conversationId: expect.any(String),
      contactId: expect.any(String),
    },
  });
  const contact = await product.call('read-contact', {
    token: admin.token,
    path: { id: receipt.refs.contactId },
  });
  expect(contact.status).toBe(200);
  expect(receipt.appliedAt >= receipt.at).toBe(true);
});

test('A dead request can be applied again by an ADMIN, and no other', async () => {
  const admin = await product.newOrganization();
  const webhook = await newWebhookClient(product, admin, admin);
  const deferred = await deferText(webhook, 'In the end');
  await deliverBroken(deferred, maxDeliveries);

  const [dead] = await receipts(admin, { status: 'dead' });
  expect(dead).toMatchObject({ status: 'dead', reason: 'given_up' });
  expect(dead).not.toHaveProperty('refs');
  const other = await product.newOrganization();
  expect((await replay(other, dead._id)).status).toBe(404);

  const { data } = expectStatus(await replay(admin, dead._id), 200);
  expect(data).toMatchObject({ _id: dead._id, status: 'kept' });
  expect(await deliverDeferred(product.providers, bodies())).toEqual({ batchItemFailures: [] });
  const [applied, ...others] = await receipts(admin);
  expect(others).toEqual([]);
  expect(applied).toMatchObject({ _id: dead._id, status: 'applied', at: dead.at });
  expect(await texts(admin)).toEqual(['In the end']);

  const again = await replay(admin, dead._id);
  expect([again.status, again.body.message]).toEqual([
    409,
    'Only a receipt that is dead can be applied again. This one is applied.',
  ]);
  expect(queue.waiting).toEqual([]);
  // The dead letter, which an operator has moved back, is the same text once more.
  expect(await deliverDeferred(product.providers, deferred)).toEqual({ batchItemFailures: [] });
  expect(await texts(admin)).toEqual(['In the end']);
});

test('Nothing of the request of a dead receipt is left once its contact was deleted and the letter is tried again', async () => {
  const admin = await product.newOrganization();
  const webhook = await newWebhookClient(product, admin, admin);
  const from = newPhoneNumber();
  const created = await arrange(
    product.call('create-contact', {
      token: admin.token,
      body: { firstName: 'Ada', phoneNumbers: [{ value: from }] },
    }),
  );
  failAll();
  await webhook.text({ MessageSid: newSid(), From: from, Body: 'A secret' });
  faults.clear();
  const deferred = bodies();
  await deliverBroken(deferred, maxDeliveries);
  const [dead] = await receipts(admin);
  const { table } = product.tableOf(admin.organizationId);
  expect(await table.read(deadRequestKey(dead._id))).toBeDefined();
  await arrange(product.call('delete-contact', { token: admin.token, path: { id: created.data._id } }));
  await stream.settle();

  await deliverDeferred(product.providers, deferred, { at: later(new Date(), minute) });

  expect(await receipts(admin)).toMatchObject([{ _id: dead._id, status: 'dropped' }]);
  expect(await table.read(deadRequestKey(dead._id))).toBeUndefined();
});

test('A forged request that was deferred is dropped, and its receipt says why', async () => {
  const admin = await product.newOrganization();
  const webhook = await newWebhookClient(product, admin, admin, {
    secret: '0123456789abcdef0123456789abcdef',
  });
  const deferred = await deferText(webhook, 'Forged');

  await deliverDeferred(product.providers, deferred);

  expect(await receipts(admin)).toEqual([
    expect.objectContaining({
      status: 'dropped',
      reason: expect.stringContaining('X-Twilio-Signature does not match'),
    }),
  ]);
});

test('A text to a number that nobody has is seen by a SUPERADMIN until it is assigned, then by its organization', async () => {
  const admin = await product.newOrganization();
  const superadmin = await product.newSuperadmin();
  const to = newPhoneNumber();
  await product.call('receive-sms', {
    path: { provider: 'somebody' },
    body: { MessageSid: newSid(), From: newPhoneNumber(), To: to, Body: 'Is anybody there?' },
  });

  const unassigned = { provider: 'somebody', status: 'kept' };
  const [kept, ...others] = await receipts(superadmin, unassigned);
  expect(others).toEqual([]);
  expect(kept).toEqual({
    _id: expect.any(String),
    ...{ provider: 'somebody', kind: 'sms', status: 'kept', reason: 'number_not_assigned' },
    at: expect.any(String),
  });
  expect(await receipts(admin)).toEqual([]);
  expect((await replay(superadmin, kept._id)).status).toBe(409);
  expect((await replay(admin, kept._id)).status).toBe(404);

  const path = { organizationId: admin.organizationId };
  const body = { userId: admin.userId, provider: 'twilio', phoneNumber: to };
  await arrange(product.call('assign-phone-number', { token: admin.token, path, body }));
  await stream.settle();

  expect(await receipts(superadmin, unassigned)).toEqual([]);
  expect(await receipts(admin)).toEqual([
    {
      ...{ _id: kept._id, provider: 'somebody', kind: 'sms', status: 'applied' },
      at: kept.at,
      appliedAt: expect.any(String),
      refs: {
        messageId: expect.any(String),
        conversationId: expect.any(String),
        contactId: expect.any(String),
      },
    },
  ]);
});

test('A text that the secret of its number does not sign stays kept, and the organization sees it', async () => {
  const admin = await product.newOrganization();
  const to = newPhoneNumber();
  await product.call('receive-sms', {
    path: { provider: 'somebody' },
    body: { MessageSid: newSid(), From: newPhoneNumber(), To: to, Body: 'Hello' },
  });
  const path = { organizationId: admin.organizationId };
  const secret = '0123456789abcdef0123456789abcdef';
  const body = { userId: admin.userId, provider: 'twilio', phoneNumber: to, secret };
  await arrange(product.call('assign-phone-number', { token: admin.token, path, body }));
  await stream.settle();

  expect(await receipts(admin)).toMatchObject([{ status: 'kept', reason: 'not_signed' }]);
});

test('Receipts of calls, reports and leads are told apart, listed newest first, and in pages', async () => {
  const admin = await product.newOrganization();
  const webhook = await newWebhookClient(product, admin, admin);
  const { data: configuration } = await arrange(
    product.call('create-outreach-configuration', { token: admin.token, body: { name: 'Fair' } }),
  );
  failAll();
  await product.call('receive-call', {
    path: { provider: 'voices' },
    body: { CallSid: 'CA1', From: newPhoneNumber(), To: webhook.phoneNumber, CallStatus: 'no-answer' },
  });
  await product.call('receive-lead', {
    body: { configurationId: configuration._id, firstName: 'Mary', email: 'mary@example.com' },
  });
  await webhook.text({ MessageSid: newSid(), From: newPhoneNumber(), Body: 'Hi' });
  faults.clear();
  expect(await deliverDeferred(product.providers, bodies())).toEqual({ batchItemFailures: [] });

  const all = await receipts(admin);
  expect(all.map(({ kind, provider }: Record<string, string>) => `${kind} by ${provider}`).sort()).toEqual([
    'lead by outreach',
    'sms by smsprovider',
    'voice by voices',
  ]);
  const times = all.map(({ at }: { at: string }) => at);
  expect(times).toEqual(times.toSorted().reverse());
  expect(all.find(({ kind }: { kind: string }) => kind === 'voice').refs).toMatchObject({
    callId: expect.any(String),
  });
  expect(await receipts(admin, { provider: 'voices' })).toHaveLength(1);
  expect(await receipts(admin, { status: 'dead' })).toEqual([]);
  const { token } = admin;
  const first = await product.call('list-webhook-receipts', { token, query: { limit: '2' } });
  const { nextCursor: cursor } = first.body;
  const second = await product.call('list-webhook-receipts', { token, query: { limit: '2', cursor } });
  expect([...first.body.data, ...second.body.data]).toEqual(all);
  expect(second.body.nextCursor).toBeNull();
});

test('Only an ADMIN sees receipts', async () => {
  const admin = await product.newOrganization();
  const rep = await product.newColleague(admin);
  expect((await product.call('list-webhook-receipts', { token: rep.token })).status).toBe(403);
  expect((await replay(rep, 'any')).status).toBe(403);
});
