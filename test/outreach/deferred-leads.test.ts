import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test } from 'vitest';
import { unpackedRequest } from '../../shared/kernel/serve/deferred-request.ts';
import { after as later, minute, second } from '../../shared/kernel/time.ts';
import { conflict, type Fault, replyLost, timedOut } from '../contacts/faulty-table.ts';
import type { Call } from '../harness/call.ts';
import { readEvents } from '../harness/events.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { deliverDeferred } from '../harness/queues.ts';
import { failure, outcome } from '../harness/tenants.ts';
import { type LeadsClient, leadsClient, newLead } from './leads-client.ts';
import { metricsClient } from './metrics-client.ts';

const product = await setUpProduct();
const faults = setUpFaultyTable();
const queue = product.queues.deferredRequests;
afterEach(() => {
  faults.clear();
  queue.behave('takes');
  queue.take();
});

const accepted = {
  status: 202,
  body: { success: true, message: 'Received. It will be processed within minutes.' },
};
const taken = { batchItemFailures: [] };
const failed = { batchItemFailures: [{ itemIdentifier: '0' }] };

async function newLeadsClient(more: Record<string, unknown> = { createApplication: true }) {
  const admin = await product.newOrganization();
  const leads = leadsClient(product, admin);
  const configuration = await leads.configure(more);
  return { ...leads, ...metricsClient(product, admin), configuration, configurationId: configuration._id };
}

/** Every request to the table meets this fault. */
function failAll(fault: Fault): void {
  for (const command of [
    'GetItemCommand',
    'BatchGetItemCommand',
    'QueryCommand',
    'PutItemCommand',
    'UpdateItemCommand',
    'TransactWriteItemsCommand',
  ] as const) {
    faults.always(command, fault);
  }
}

/** Sends a lead while the table is out of reach; what is deferred of it. */
async function deferred(
  leads: { configurationId: string } & Pick<LeadsClient, 'send'>,
  lead = newLead(),
  more: Call = {},
) {
  failAll(timedOut);
  expect(outcome(await leads.send(leads.configurationId, lead, more))).toEqual(accepted);
  faults.clear();
  const [message] = queue.waiting;
  return message ?? { body: '', group: '', delay: 0 };
}

/** Lets the queue deliver everything it has; returns the result and what waited. */
async function deliver(more: { at?: Date; log?: (line: Record<string, unknown>) => void } = {}) {
  const waiting = queue.take();
  const result = await deliverDeferred(
    product.providers,
    waiting.map(({ body }) => body),
    more,
  );
  return { result, waiting };
}

const received = { leads: 1, newContacts: 1, duplicates: 0, applications: 1 };

test.each([
  ['the table is out of reach', () => failAll(timedOut)],
  ['the table takes no writes', () => faults.always('TransactWriteItemsCommand', timedOut)],
  [
    'other transactions are in the way all the time',
    () => faults.always('TransactWriteItemsCommand', conflict),
  ],
])('A lead is deferred and 202 when %s, and stored and counted once afterwards', async (_, fail) => {
  const leads = await newLeadsClient();
  const lead = newLead();
  fail();
  expect(outcome(await leads.send(leads.configurationId, lead))).toEqual(accepted);
  expect(queue.waiting).toHaveLength(1);
  // As long as the table fails, the queue delivers it again.
  expect(await deliverDeferred(product.providers, [queue.waiting[0]?.body ?? ''])).toEqual(failed);

  faults.clear();
  const { result, waiting } = await deliver();
  expect(result).toEqual(taken);
  expect((await leads.metrics()).totals).toEqual(received);
  // A queue may deliver a message twice.
  expect(await deliverDeferred(product.providers, [waiting[0]?.body ?? ''])).toEqual(taken);
  await leads.clear();
  expect((await leads.metrics()).totals).toEqual(received);
  const { contactId } = await leads.sent(leads.configurationId, lead);
  expect(await leads.contact(contactId)).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace' });
});

test('A deferred lead is what its configuration did, in the request that brought it', async () => {
  const admin = await product.newOrganization();
  const leads = leadsClient(product, admin);
  const { _id: configurationId } = await leads.configure({});
  failAll(timedOut);
  const { headers } = await leads.send(configurationId, newLead());
  faults.clear();
  await deliver();
  const events = await readEvents(product, admin.organizationId);
  const lead = events.find(({ event }) => event === 'lead_received');
  expect(lead?.actor).toEqual({ type: 'lead', id: configurationId });
  expect(lead?.requestId).toBe(headers['x-request-id']);
});

test.each([
  ['of somebody new', undefined, received],
  ['with news of somebody known', { city: 'Paris' }, { leads: 2, duplicates: 1 }],
  ['that says nothing new', { firstName: 'Grace' }, { leads: 2, duplicates: 1 }],
])(
  'A lead %s whose reply from the table is lost every time is deferred, and counted once all the same',
  async (_, more, totals) => {
    const leads = await newLeadsClient();
    const lead = newLead();
    if (more !== undefined) {
      await leads.sent(leads.configurationId, lead);
    }
    faults.always('TransactWriteItemsCommand', replyLost);
    expect(outcome(await leads.send(leads.configurationId, { ...lead, ...more }))).toEqual(accepted);
    faults.clear();
    expect((await deliver()).result).toEqual(taken);
    expect((await leads.metrics()).totals).toMatchObject(totals);
  },
);

test.each([
  ['nobody has sent since', 0],
  ['somebody has sent once more since', 1],
])(
  'A lead without a number that was stored although it was deferred, and that %s, is not stored again days later',
  async (_, more) => {
    const leads = await newLeadsClient();
    const lead = { ...newLead(), phoneNumber: 'none' };
    const at = new Date();
    const days = { startDate: at.toISOString(), endDate: later(at, 60 * 24 * 60 * minute).toISOString() };
    faults.always('TransactWriteItemsCommand', replyLost);
    expect(outcome(await leads.send(leads.configurationId, lead, { at }))).toEqual(accepted);
    faults.clear();
    for (let count = 0; count < more; count += 1) {
      await leads.sent(leads.configurationId, lead, { at: later(at, 20 * minute) });
    }
    expect((await deliver({ at: later(at, 20 * 24 * 60 * minute) })).result).toEqual(taken);
    expect((await leads.metrics(days)).totals).toMatchObject({ leads: 1 + more, newContacts: 1 + more });
  },
);

test('A lead that two deliveries of the queue bring at the same moment is counted once', async () => {
  const leads = await newLeadsClient();
  const { body } = await deferred(leads);
  await Promise.all([1, 2, 3].map(() => deliverDeferred(product.providers, [body])));
  expect((await leads.metrics()).totals).toEqual(received);
});

test('A lead that is deferred is the same, of whatever characters its fields are', async () => {
  const leads = await newLeadsClient();
  const lead = { ...newLead(), firstName: 'Zoë 👋', odd: '\uFFFF"\\\u0000\n' };
  await deferred(leads, lead);
  await deliver();
  const { contactId } = await leads.sent(leads.configurationId, lead);
  const { firstName, customFields } = await leads.contact(contactId);
  expect({ firstName, customFields }).toEqual({ firstName: 'Zoë 👋', customFields: { odd: lead.odd } });
});

test('A lead that is deferred while its secret cannot be read is checked later, as of when it was received', async () => {
  const leads = await newLeadsClient({ secret: true });
  const { configurationId } = leads;
  const at = new Date();
  const send = (secret = '') => {
    const body = JSON.stringify({ configurationId, ...newLead() });
    const id = randomUUID();
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / second)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    };
    return product.call('receive-lead', { body, headers, at });
  };
  failAll(timedOut);
  expect(outcome(await send(leads.configuration.secret))).toEqual(accepted);
  expect(outcome(await send(`whsec_${Buffer.alloc(32).toString('base64')}`))).toEqual(accepted);
  faults.clear();
  const lines: Record<string, unknown>[] = [];
  const { result } = await deliver({ at: later(at, 60 * minute), log: (line) => lines.push(line) });
  expect(result).toEqual(taken);
  // It is counted on the day on which it is stored: today, or tomorrow by now.
  const days = { startDate: at.toISOString(), endDate: later(at, 60 * minute).toISOString() };
  expect((await leads.metrics(days)).totals).toMatchObject({ leads: 1 });
  expect(lines.map(({ level, operation, dropped }) => ({ level, operation, dropped }))).toContainEqual({
    level: 'info',
    operation: 'receive-lead',
    dropped: 'No signature in webhook-signature matches this request.',
  });
});

test.each([
  ['that names nobody', 400, { phoneNumber: '', firstName: '', lastName: null }],
  ['for a configuration that nobody has', 404, { configurationId: 'nobody' }],
  ['that is received at once', 200, {}],
])('A lead %s is %i and not deferred', async (_, status, wrong) => {
  const leads = await newLeadsClient();
  expect((await leads.send(leads.configurationId, wrong)).status).toBe(status);
  expect(queue.waiting).toEqual([]);
});

test('A lead is 503 with Retry-After when neither the table nor the queue takes it', async () => {
  const leads = await newLeadsClient();
  failAll(timedOut);
  queue.behave('refuses');
  const response = await leads.send(leads.configurationId, newLead());
  expect(outcome(response)).toEqual(failure(503, 'The service is busy. Try again shortly.'));
  expect(response.headers['retry-after']).toBe('1');
});

test('A lead that is deferred waits among those of its own configuration, and holds no credentials', async () => {
  const leads = await newLeadsClient();
  const headers = { authorization: 'Bearer secret', cookie: 'secret', 'x-source': 'web' };
  const { body, group, delay } = await deferred(leads, newLead(), { headers });
  expect({ group, delay }).toEqual({ group: leads.configurationId, delay: 5 * second });
  expect(unpackedRequest(body).event.headers).toEqual({ 'x-source': 'web' });
});

test('A lead that is deferred is stored although its operation has another name by then', async () => {
  const leads = await newLeadsClient();
  const { body } = await deferred(leads);
  const operations = { 'receive-lead': 'take-lead' };
  expect(await deliverDeferred(product.providers, [body], { operations })).toEqual(taken);
});

test('A lead that is deferred at a route that is gone is delivered again, and the log says so', async () => {
  const leads = await newLeadsClient();
  const { body } = await deferred(leads);
  const moved = gzipSync(JSON.stringify({ ...unpackedRequest(body), route: 'POST /gone' })).toString(
    'base64',
  );
  const lines: Record<string, unknown>[] = [];
  expect(await deliverDeferred(product.providers, [moved], { log: (line) => lines.push(line) })).toEqual(
    failed,
  );
  expect(lines).toMatchObject([{ level: 'error', route: 'POST /gone' }]);
});

const met: Record<string, Fault[]> = {
  'the reply to its transaction is lost': [replyLost],
  'other transactions are in the way': [conflict, conflict, conflict],
  'the table does not answer at first': [timedOut],
};

test.each(Object.keys(met))('A lead, new or not, is stored and counted once when %s', async (what) => {
  const leads = await newLeadsClient();
  const lead = newLead();
  faults.next('TransactWriteItemsCommand', ...(met[what] ?? []));
  const { body } = await leads.send(leads.configurationId, lead);
  expect(body.message).toBe('Lead received: new contact');
  expect(await leads.sent(leads.configurationId, lead)).toEqual(body.data);

  faults.next('TransactWriteItemsCommand', ...(met[what] ?? []));
  expect(await leads.sent(leads.configurationId, { ...lead, firstName: 'Grace' })).toEqual(body.data);
  faults.clear();
  expect((await leads.metrics()).totals).toEqual({
    leads: 2,
    newContacts: 1,
    duplicates: 1,
    applications: 1,
  });
});

test('A lead that says nothing new is counted once when the reply is lost and others are counted before it is asked for again', async () => {
  const leads = await newLeadsClient();
  const lead = newLead();
  const { configurationId } = leads;
  const first = await leads.sent(configurationId, lead);
  const overtaken: Fault = async (next) => {
    await next();
    await leads.sent(configurationId, { ...lead, firstName: 'Augusta' });
    return timedOut(next);
  };
  faults.next('TransactWriteItemsCommand', overtaken);
  expect(await leads.sent(configurationId, { ...lead, firstName: 'Grace' })).toEqual(first);
  faults.clear();
  expect((await leads.metrics()).totals).toMatchObject({ leads: 3, duplicates: 2 });
});
