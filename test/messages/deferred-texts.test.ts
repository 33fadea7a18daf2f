import { afterEach, expect, test } from 'vitest';
import { hour, after as later } from '../../shared/kernel/time.ts';
import { replyLost, timedOut } from '../contacts/faulty-table.ts';
import { conversationsClient } from '../conversations/client.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { domainName } from '../harness/gateway.ts';
import type { Person } from '../harness/product.ts';
import { deliverDeferred } from '../harness/queues.ts';
import { expectStatus, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { signedForm } from './twilio-signing.ts';
import { emptyResponse, newSid, newWebhookClient } from './webhook-client.ts';

const product = await setUpProduct();
const faults = setUpFaultyTable();
const queue = product.queues.deferredRequests;
afterEach(() => {
  faults.clear();
  queue.take();
});

const accepted = {
  status: 202,
  body: { success: true, message: 'Received. It will be processed within minutes.' },
};

function failAll(): void {
  for (const command of ['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand'] as const) {
    faults.always(command, timedOut);
  }
  faults.always('TransactWriteItemsCommand', timedOut);
}

const bodies = () => queue.take().map(({ body }) => body);

/** What is in the conversations of an organization. */
async function texts(admin: Person): Promise<string[]> {
  const client = conversationsClient(product, admin);
  const { data } = expectStatus(await client.list(), 200);
  const lists = await Promise.all(
    data.map(async ({ _id }: { _id: string }) => (await client.messages(_id)).body.data),
  );
  return lists.flat().map(({ content }) => content);
}

test('A text message is deferred and 202 while the table is out of reach, and stored once afterwards, even if the provider sends it again', async () => {
  const admin = await product.newOrganization();
  const webhook = await newWebhookClient(product, admin, admin);
  const fields = { MessageSid: newSid(), From: newPhoneNumber(), Body: 'Anybody there?' };
  failAll();
  expect(outcome(await webhook.text(fields))).toEqual(accepted);
  const deferred = bodies();
  expect(await deliverDeferred(product.providers, deferred)).toEqual({
    batchItemFailures: [{ itemIdentifier: '0' }],
  });
  faults.clear();
  expect(await deliverDeferred(product.providers, deferred)).toEqual({ batchItemFailures: [] });
  expect(await deliverDeferred(product.providers, deferred)).toEqual({ batchItemFailures: [] });
  expect(expectStatus(await webhook.text(fields), 200).data.duplicate).toBe(true);
  expect(await texts(admin)).toEqual(['Anybody there?']);
});

test('A text message whose reply from the table is lost every time is deferred, and stored once', async () => {
  const admin = await product.newOrganization();
  const webhook = await newWebhookClient(product, admin, admin);
  faults.always('TransactWriteItemsCommand', replyLost);
  const response = await webhook.text({ MessageSid: newSid(), From: newPhoneNumber(), Body: 'Once' });
  expect(outcome(response)).toEqual(accepted);
  faults.clear();
  expect(await deliverDeferred(product.providers, bodies())).toEqual({ batchItemFailures: [] });
  expect(await texts(admin)).toEqual(['Once']);
});

test('A text message as a form gets the empty Response even when it is deferred', async () => {
  const admin = await product.newOrganization();
  const webhook = await newWebhookClient(product, admin, admin);
  failAll();
  const { status, body, headers } = await webhook.textAsForm({ From: newPhoneNumber(), Body: 'As a form' });
  expect({ status, body }).toEqual({ status: 200, body: emptyResponse });
  expect(headers['content-type']).toMatch(/^text\/xml/);
  faults.clear();
  expect(await deliverDeferred(product.providers, bodies())).toEqual({ batchItemFailures: [] });
  expect(await texts(admin)).toEqual(['As a form']);
});

test('A text message that is deferred while the secret of its number cannot be read is checked later, and dropped if it was forged', async () => {
  const admin = await product.newOrganization();
  const secret = '0123456789abcdef0123456789abcdef';
  const webhook = await newWebhookClient(product, admin, admin, { secret });
  const url = `https://${domainName}/api/webhook/smsprovider/sms`;
  const send = (Body: string, token: string) => {
    const fields = { MessageSid: newSid(), From: newPhoneNumber(), To: webhook.phoneNumber, Body };
    return webhook.textAsForm(fields, signedForm(token, url, fields));
  };
  failAll();
  expect((await send('Genuine', secret)).status).toBe(200);
  expect((await send('Forged', 'another')).status).toBe(200);
  faults.clear();
  const delivery = { at: later(new Date(), hour) };
  expect(await deliverDeferred(product.providers, bodies(), delivery)).toEqual({ batchItemFailures: [] });
  expect(await texts(admin)).toEqual(['Genuine']);
});
