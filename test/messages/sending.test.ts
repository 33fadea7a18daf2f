import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { leaseDuration } from '../../functions/messages/model/lease-time.ts';
import type { SmsProvider } from '../../shared/kernel/providers/sms-provider.ts';
import { minute, after as plus, timestamp } from '../../shared/kernel/time.ts';
import { queuedMessageKey } from '../../shared/messages/queued-message.ts';
import { recordedId } from '../../shared/ports/sms-recorder.ts';
import { contactsClient } from '../contacts/client.ts';
import { faultyTable } from '../contacts/faulty-table.ts';
import { conversationsClient } from '../conversations/client.ts';
import { eventually } from '../harness/eventually.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { refusal, refusalCode } from '../harness/recording-sms.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { prepareOutgoing } from './outgoing.ts';
import { prepareRecipient } from './recipient.ts';
import { newWebhookClient } from './webhook-client.ts';

let admin: Person;
const product = await setUpProduct();
const outgoing = await prepareOutgoing(product);
// An organization for each test: what is queued is its own.
beforeEach(async () => {
  admin = await product.newOrganization();
  product.queues.outgoingTexts.take();
});

const newRecipient = (person = admin) => prepareRecipient(product, person);

test('A queued message is sent, and has the status `sent` and the id that the provider gave it', async () => {
  const ada = await newRecipient();
  const { _id } = await ada.queue();
  await outgoing.tellAll(admin);
  expect(ada.sent()).toEqual(['Hello']);
  expect(await ada.messages()).toEqual([
    { content: 'Hello', status: 'sent', providerMessageId: recordedId(_id) },
  ]);
  expect(await outgoing.records(admin)).toEqual([]);
});

test('A queued message that the provider refuses has failed, keeps exactly the fields of a message, and is queued no more', async () => {
  const ada = await newRecipient();
  product.sms.behave(ada.to, 'refuses');
  const queued = await ada.queue();
  await outgoing.tellAll(admin);
  const { data } = (await conversationsClient(product, admin).messages(queued.conversationId)).body;
  expect(data).toEqual([{ ...queued, status: 'failed', failure: { code: refusalCode, reason: refusal } }]);
  expect(await outgoing.records(admin)).toEqual([]);
});

test('A queued message is sent once, however often the stream delivers it', async () => {
  const ada = await newRecipient();
  await ada.queue();
  const records = await outgoing.records(admin);
  await outgoing.tell([...records, ...records]);
  await outgoing.tell(records);
  await outgoing.tell(records, { at: plus(new Date(), 10 * minute) });
  expect(ada.sent()).toEqual(['Hello']);
});

test('A queued message is sent once when the stream delivers it to two runs at the same time', async () => {
  const ada = await newRecipient();
  await ada.queue();
  const records = await outgoing.records(admin);
  await Promise.all([outgoing.tell(records), outgoing.tell(records), outgoing.tell(records)]);
  expect(ada.sent()).toEqual(['Hello']);
  expect(await ada.messages()).toMatchObject([{ status: 'sent' }]);
});

test('A queued message that another run is sending is waited for, not sent again', async () => {
  const ada = await newRecipient();
  await ada.queue();
  const records = await outgoing.records(admin);
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const slow: SmsProvider = {
    async send(message) {
      asked.resolve();
      await answer.promise;
      return product.sms.send(message);
    },
  };
  const first = outgoing.tell(records, { providers: { sms: () => slow } });
  await asked.promise;
  const second = outgoing.tell(records);
  answer.resolve();
  await Promise.all([first, second]);
  expect(ada.sent()).toEqual(['Hello']);
});

test('A queued message is not sent to a contact that has been deleted meanwhile', async () => {
  const ada = await newRecipient();
  await ada.queue();
  const records = await outgoing.records(admin);
  await arrange(contactsClient(product, admin).remove(ada.contactId));
  await outgoing.tell(records);
  expect(ada.sent()).toEqual([]);
  expect(await outgoing.records(admin)).toEqual([]);
});

test('A queued message is not sent to a contact that has opted out meanwhile: it fails', async () => {
  const webhook = await newWebhookClient(product, admin, admin);
  const ada = await newRecipient();
  await ada.queue();
  expectStatus(await webhook.text({ From: ada.to, Body: 'STOP' }), 200);
  await outgoing.tellAll(admin);
  expect(ada.sent()).toEqual([]);
  expect(await ada.messages()).toMatchObject([{ status: 'failed' }, { content: 'STOP' }]);
});

test('A queued message is not sent to a contact that opts out while another run has the message, which gives it back', async () => {
  const webhook = await newWebhookClient(product, admin, admin);
  const ada = await newRecipient();
  await ada.queue();
  const records = await outgoing.records(admin);
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const unavailable: SmsProvider = {
    async send() {
      asked.resolve();
      await answer.promise;
      throw new Error('The provider stumbles');
    },
  };
  const first = outgoing.tell(records, { providers: { sms: () => unavailable } });
  await asked.promise;
  const table = faultyTable();
  const second = outgoing.tell(records);
  await eventually(() => table.tries('UpdateItemCommand').length > 0);
  table.restore();
  expectStatus(await webhook.text({ From: ada.to, Body: 'STOP' }), 200);
  answer.resolve();
  await Promise.all([first, second]);
  expect(ada.sent()).toEqual([]);
  expect(await ada.messages()).toMatchObject([{ status: 'failed' }, { content: 'STOP' }]);
});

test('A queued message is sent to a contact that was moved, edited and written to meanwhile', async () => {
  const ada = await newRecipient();
  await ada.queue('One');
  await arrange(contactsClient(product, admin).move(ada.contactId, { stage: 'Won' }));
  await arrange(contactsClient(product, admin).update(ada.contactId, { firstName: 'Grace' }));
  await ada.queue('Two', plus(new Date(), minute));
  await outgoing.tellAll(admin);
  expect(await ada.messages()).toMatchObject([
    { content: 'One', status: 'sent' },
    { content: 'Two', status: 'sent' },
  ]);
});

test('A batch of 40 messages to 20 contacts of two organizations is sent whole, to each in order', async () => {
  const other = await product.newOrganization();
  const people = [...Array(15).fill(admin), ...Array(5).fill(other)] as Person[];
  const start = new Date();
  const recipients = await Promise.all(people.map((person) => newRecipient(person)));
  for (const recipientNumber of recipients) {
    await recipientNumber.queue('One', start);
    await recipientNumber.queue('Two', plus(start, 1));
  }
  await outgoing.tell([...(await outgoing.records(admin)), ...(await outgoing.records(other))]);
  for (const recipientNumber of recipients) {
    expect(recipientNumber.sent()).toEqual(['One', 'Two']);
  }
});

test('A batch lets no message overtake one to the same contact that could not be sent', async () => {
  const ada = await newRecipient();
  const start = new Date();
  await ada.queue('One', start);
  await ada.queue('Two', plus(start, 1));
  let unavailable = 2;
  const stumbling: SmsProvider = {
    async send(message) {
      if (unavailable > 0) {
        unavailable -= 1;
        throw new Error('The provider stumbles');
      }
      return product.sms.send(message);
    },
  };
  const providers = { sms: () => stumbling };
  await outgoing.tell(await outgoing.records(admin), { providers });
  expect(ada.sent()).toEqual([]);
  expect(await outgoing.tellDelayed({ providers })).toEqual([1, 1]);
  expect(ada.sent()).toEqual(['One', 'Two']);
});

test('A provider that hangs holds up nothing else that the stream brings about', async () => {
  const webhook = await newWebhookClient(product, admin, admin);
  const ada = await newRecipient();
  const stream = await tableStream(product);
  onTestFinished(() => void product.queues.outgoingTexts.take());
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hanging: SmsProvider = {
    async send(message) {
      asked.resolve();
      await answer.promise;
      return product.sms.send(message);
    },
  };
  await ada.queue();
  await stream.settle();
  const handedOver = product.queues.outgoingTexts.take();
  const delivered = outgoing.deliver(handedOver, { providers: { sms: () => hanging } });
  await asked.promise;
  expectStatus(await webhook.text({ From: ada.to, Body: 'Anybody there?' }), 200);
  await ada.queue('Two', plus(new Date(), minute));
  await stream.settle();
  const { body } = await product.call('list-notifications', { token: admin.token });
  expect(body.data).toMatchObject([{ type: 'message' }]);
  expect(product.queues.outgoingTexts.waiting).toHaveLength(1);
  expect(ada.sent()).toEqual([]);
  answer.resolve();
  await delivered;
  expect(ada.sent()).toContain('Hello');
});

test('A batch claims each message for as long as the first, however late its turn comes', async () => {
  const ada = await newRecipient();
  const start = new Date();
  await ada.queue('One', start);
  const { _id } = await ada.queue('Two', plus(start, 1));
  const { table } = product.tableOf(admin.organizationId);
  const took = 200;
  let leasedUntil = '';
  const slow: SmsProvider = {
    async send(message) {
      if (message.content === 'One') {
        const end = performance.now() + took;
        await eventually(() => performance.now() >= end);
      } else {
        const queued = await table.read(queuedMessageKey(_id));
        leasedUntil = String(queued?.attributes?.leasedUntil);
      }
      return product.sms.send(message);
    },
  };
  await outgoing.tell(await outgoing.records(admin), { at: start, providers: { sms: () => slow } });
  expect(ada.sent()).toEqual(['One', 'Two']);
  expect(leasedUntil >= timestamp(plus(start, leaseDuration + took))).toBe(true);
});
