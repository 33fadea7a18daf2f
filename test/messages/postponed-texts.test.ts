import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OutgoingSms, SmsProvider } from '../../shared/kernel/providers/sms-provider.ts';
import { day, hour, minute, after as plus } from '../../shared/kernel/time.ts';
import { contactsClient } from '../contacts/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { prepareOutgoing } from './outgoing.ts';
import { prepareRecipient } from './recipient.ts';
import { newWebhookClient } from './webhook-client.ts';

let admin: Person;
const product = await setUpProduct();
const outgoing = await prepareOutgoing(product);
const queue = product.queues.outgoingTexts;
beforeEach(async () => {
  admin = await product.newOrganization();
});
afterEach(() => {
  queue.behave('takes');
  queue.take();
});

/** A message to somebody whom the provider cannot reach, which has been postponed. */
async function putOff(start = new Date()) {
  const ada = await prepareRecipient(product, admin);
  product.sms.behave(ada.to, 'unavailable');
  await ada.queue('One', start);
  await outgoing.tell(await outgoing.records(admin), { at: start });
  return ada;
}

test('A message to a provider that is down for an hour is tried after 1, 5, and then every 15 minutes, and sent once', async () => {
  const start = new Date();
  const ada = await putOff(start);
  const delays: number[] = [];
  let now = start;
  while (now < plus(start, hour)) {
    const [delay = 0] = queue.waiting.map((message) => message.delay);
    now = plus(now, delay);
    if (now >= plus(start, hour)) {
      product.sms.behave(ada.to, 'sends');
    }
    delays.push(...(await outgoing.tellDelayed({ at: now })));
    expect(await ada.messages()).toMatchObject([{ status: now < plus(start, hour) ? 'queued' : 'sent' }]);
  }
  expect(delays).toEqual([1, 5, 15, 15, 15, 15]);
  expect(queue.waiting).toEqual([]);
  expect(ada.sent()).toEqual(['One']);
});

test('A message that was postponed holds up no other: those to other contacts are sent at once, those to the same one after it and in order', async () => {
  const start = new Date();
  const ada = await putOff(start);
  const grace = await prepareRecipient(product, admin);
  await grace.queue('To Grace', plus(start, 1));
  await ada.queue('Two', plus(start, 2));
  const records = await outgoing.records(admin);
  await outgoing.tell(records.slice(1), { at: plus(start, minute) });
  expect([ada.sent(), grace.sent()]).toEqual([[], ['To Grace']]);
  await ada.queue('Three', plus(start, 3));
  product.sms.behave(ada.to, 'sends');
  // As soon as somebody finds that the provider is there again.
  await outgoing.tell((await outgoing.records(admin)).slice(-1), { at: plus(start, minute) });
  expect(ada.sent()).toEqual(['One', 'Two', 'Three']);
  await outgoing.tellDelayed({ at: plus(start, 2 * minute) });
  expect(ada.sent()).toEqual(['One', 'Two', 'Three']);
  expect(queue.waiting).toEqual([]);
});

test('A message that was postponed does not ask the provider for every message that waits behind it', async () => {
  const start = new Date();
  const asked: OutgoingSms[] = [];
  const down: SmsProvider = {
    async send(message) {
      asked.push(message);
      throw new Error('The provider is down');
    },
  };
  const ada = await prepareRecipient(product, admin);
  for (const [index, content] of ['One', 'Two', 'Three'].entries()) {
    await ada.queue(content, plus(start, index));
  }
  await outgoing.tell(await outgoing.records(admin), { at: start, providers: { sms: () => down } });
  expect(new Set(asked.map(({ content }) => content))).toEqual(new Set(['One']));
});

/** A provider that takes everything but messages with this text. */
function refusing(content: string, asked: string[] = []): SmsProvider {
  return {
    async send(message) {
      asked.push(message.content);
      if (message.content === content) {
        throw new Error('The provider stumbles over this one');
      }
      return product.sms.send(message);
    },
  };
}

test('A message that was postponed again and again holds up those after it for an hour at most; then they pass it, in order', async () => {
  const start = plus(new Date(), -2 * hour);
  const ada = await prepareRecipient(product, admin);
  await ada.queue('Poison', start);
  await ada.queue('Two', plus(start, 1));
  await ada.queue('Three', plus(start, 2));
  const providers = { sms: () => refusing('Poison') };
  await outgoing.tell(await outgoing.records(admin), { at: start, providers });
  for (const minutes of [1, 6, 21, 36, 51]) {
    await outgoing.tellDelayed({ at: plus(start, minutes * minute), providers });
    expect(ada.sent()).toEqual([]);
  }
  await outgoing.tellDelayed({ at: plus(start, 66 * minute), providers });
  expect(ada.sent()).toEqual(['Two', 'Three']);
  // A new one does not wait for it either.
  await ada.queue('Four', plus(start, 70 * minute));
  await outgoing.tell((await outgoing.records(admin)).slice(-1), { at: plus(start, 70 * minute), providers });
  expect(ada.sent()).toEqual(['Two', 'Three', 'Four']);
  await outgoing.tellDelayed({ at: plus(start, 81 * minute) });
  expect(ada.sent()).toEqual(['Two', 'Three', 'Four', 'Poison']);
  expect(queue.waiting).toEqual([]);
});

test('A message that was postponed for more than an hour is still the first to be sent when the provider is there again', async () => {
  const start = plus(new Date(), -2 * hour);
  const ada = await putOff(start);
  await outgoing.tellDelayed({ at: plus(start, 90 * minute) });
  product.sms.behave(ada.to, 'sends');
  await ada.queue('Two', plus(start, 91 * minute));
  await outgoing.tell((await outgoing.records(admin)).slice(-1), { at: plus(start, 91 * minute) });
  expect(ada.sent()).toEqual(['One', 'Two']);
  await outgoing.tellDelayed({ at: plus(start, 105 * minute) });
  expect(ada.sent()).toEqual(['One', 'Two']);
});

test('A message that was postponed does not ask a provider that is down for hours for everything that waits', async () => {
  const start = new Date();
  const ada = await prepareRecipient(product, admin);
  const asked: string[] = [];
  const providers = { sms: () => refusing('Same', asked) };
  for (let index = 0; index < 5; index += 1) {
    await ada.queue('Same', plus(start, index));
  }
  await outgoing.tell(await outgoing.records(admin), { at: start, providers });
  asked.length = 0;
  const { length } = queue.waiting;
  await outgoing.tellDelayed({ at: plus(start, 3 * hour), providers });
  expect(length).toBe(5);
  expect(asked.length).toBeLessThanOrEqual(3 * length);
});

test('A message to a provider that is down for ten minutes is sent once, with those after it, and each change of status is emitted in order', async () => {
  const start = new Date();
  const ada = await putOff(start);
  await ada.queue('Two', plus(start, minute));
  await outgoing.tell((await outgoing.records(admin)).slice(-1), { at: plus(start, minute) });
  for (const minutes of [1, 6]) {
    await outgoing.tellDelayed({ at: plus(start, minutes * minute) });
  }
  product.sms.behave(ada.to, 'sends');
  await outgoing.tellDelayed({ at: plus(start, 21 * minute) });
  await outgoing.tellDelayed({ at: plus(start, 36 * minute) });
  expect(ada.sent()).toEqual(['One', 'Two']);
  const told = (await readEvents(product, admin.organizationId))
    .filter(({ event }) => event.startsWith('message_'))
    .map(({ data }) => data.message as { content: string; status: string })
    .map(({ content, status }) => `${content} ${status}`);
  expect(told).toHaveLength(4);
  for (const content of ['One', 'Two']) {
    expect(told.filter((one) => one.startsWith(content))).toEqual([`${content} queued`, `${content} sent`]);
  }
});

test('A message that was postponed for a day has failed, and is not sent later', async () => {
  const start = new Date();
  const ada = await putOff(start);
  await outgoing.tellDelayed({ at: plus(start, day - minute) });
  expect(await ada.messages()).toMatchObject([{ status: 'queued' }]);
  await outgoing.tellDelayed({ at: plus(start, day) });
  expect(await ada.messages()).toMatchObject([{ status: 'failed' }]);
  expect(queue.waiting).toEqual([]);
  expect(await outgoing.records(admin)).toEqual([]);
});

test('A message that was postponed is not sent to a contact that has opted out meanwhile, nor to one that is gone', async () => {
  const webhook = await newWebhookClient(product, admin, admin);
  const [ada, grace] = [await putOff(), await putOff()];
  expectStatus(await webhook.text({ From: ada.to, Body: 'STOP' }), 200);
  expectStatus(await contactsClient(product, admin).remove(grace.contactId), 200);
  product.sms.behave(ada.to, 'sends');
  product.sms.behave(grace.to, 'sends');
  await outgoing.tellDelayed();
  expect([ada.sent(), grace.sent()]).toEqual([[], []]);
  expect(await ada.messages()).toMatchObject([{ status: 'failed' }, { content: 'STOP' }]);
  expect(queue.waiting).toEqual([]);
});

test('A message that was postponed waits among those of its organization, and the queue holds neither its text nor a number', async () => {
  const ada = await putOff();
  const [{ body, group } = { body: '', group: '' }] = queue.waiting;
  expect(group).toBe(admin.organizationId);
  expect(body).not.toContain('One');
  expect(body).not.toContain(ada.to);
});

test('A message that neither the provider nor the queue takes is delivered again; all others are sent, and once', async () => {
  const ada = await prepareRecipient(product, admin);
  const grace = await prepareRecipient(product, admin);
  product.sms.behave(ada.to, 'unavailable');
  await ada.queue('To Ada');
  await grace.queue('To Grace');
  await outgoing.handOver(await outgoing.records(admin));
  const handedOver = queue.take();
  queue.behave('refuses');
  expect(await outgoing.deliver(handedOver)).toEqual(handedOver.slice(0, 1));
  expect([ada.sent(), grace.sent()]).toEqual([[], ['To Grace']]);
  product.sms.behave(ada.to, 'sends');
  expect(await outgoing.deliver(handedOver)).toEqual([]);
  expect([ada.sent(), grace.sent()]).toEqual([['To Ada'], ['To Grace']]);
});
