import { afterEach, beforeEach, expect, test } from 'vitest';
import { hour, minute, after as plus } from '../../shared/kernel/time.ts';
import { conflict, replyLost, timedOut } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { prepareOutgoing } from './outgoing.ts';
import { prepareRecipient } from './recipient.ts';

let admin: Person;
const product = await setUpProduct();
const outgoing = await prepareOutgoing(product);
const faults = setUpFaultyTable();
afterEach(() => {
  faults.clear();
  product.queues.outgoingTexts.behave('takes');
  product.queues.outgoingTexts.take();
});
// An organization for each test: what is queued is its own.
beforeEach(async () => {
  admin = await product.newOrganization();
});

test.each([
  ['the reply to the claim is lost', 'UpdateItemCommand', [replyLost]],
  ['the reply to the record is lost', 'TransactWriteItemsCommand', [replyLost]],
  ['the table does not answer the record at first', 'TransactWriteItemsCommand', [timedOut]],
  ['other transactions are in the way of the record', 'TransactWriteItemsCommand', [conflict, conflict]],
] as const)('A message is sent once when %s', async (_, command, met) => {
  const ada = await prepareRecipient(product, admin);
  await ada.queue();
  const records = await outgoing.records(admin);
  faults.next(command, ...met);
  await outgoing.tell(records);
  await outgoing.tell(records);
  expect(ada.sent()).toEqual(['Hello']);
  expect(await ada.messages()).toMatchObject([{ status: 'sent' }]);
});

test('A message is sent once when the table does not take the record: it is recorded later', async () => {
  const ada = await prepareRecipient(product, admin);
  await ada.queue();
  const records = await outgoing.records(admin);
  faults.always('TransactWriteItemsCommand', timedOut);
  await outgoing.tell(records);
  expect(await outgoing.tellDelayed()).toEqual([1]);
  expect(await outgoing.tellDelayed()).toEqual([5]);
  faults.clear();
  expect(await outgoing.tellDelayed({ at: plus(new Date(), minute) })).toEqual([15]);
  expect(ada.sent()).toEqual(['Hello']);
  expect(await ada.messages()).toMatchObject([{ status: 'sent', providerMessageId: expect.any(String) }]);
});

test.each([
  ['at once', 0],
  ['after it held up others for an hour', -2 * hour],
])(
  'A message is sent once when another one finds it waiting %s, and the table does not take the record',
  async (_, age) => {
    const ada = await prepareRecipient(product, admin);
    const start = plus(new Date(), age);
    await ada.queue('One', start);
    await ada.queue('Two', plus(start, 1));
    await outgoing.handOver(await outgoing.records(admin));
    const [one, two] = product.queues.outgoingTexts.take().map((message) => [message]);
    faults.always('TransactWriteItemsCommand', timedOut);
    expect(await outgoing.deliver(two ?? [])).toEqual([]);
    faults.clear();
    // Its own turn does not know what was answered.
    expect(await outgoing.deliver(one ?? [], { at: plus(new Date(), minute) })).toEqual([]);
    expect(ada.sent().filter((content) => content === 'One')).toHaveLength(1);
    await outgoing.tellDelayed({ at: plus(new Date(), 2 * minute) });
    expect(ada.sent()).toEqual(['One', 'Two']);
    expect(await ada.messages()).toMatchObject([{ status: 'sent' }, { status: 'sent' }]);
  },
);

test('A message is sent once unless neither the table nor the queue takes the outcome: then once more, when its claim has run out', async () => {
  const ada = await prepareRecipient(product, admin);
  await ada.queue();
  await outgoing.handOver(await outgoing.records(admin));
  const handedOver = product.queues.outgoingTexts.take();
  faults.always('TransactWriteItemsCommand', timedOut);
  product.queues.outgoingTexts.behave('refuses');
  expect(await outgoing.deliver(handedOver)).toEqual(handedOver);
  faults.clear();
  product.queues.outgoingTexts.behave('takes');
  expect(ada.sent()).toEqual(['Hello']);
  for (const minutes of [1, 2]) {
    expect(await outgoing.deliver(handedOver, { at: plus(new Date(), minutes * minute) })).toEqual([]);
    expect(ada.sent()).toEqual(['Hello', 'Hello']);
  }
  expect(await ada.messages()).toMatchObject([{ status: 'sent' }]);
});

test('A message is not lost, and sent once, when the queue does not take it: the stream delivers it again', async () => {
  const ada = await prepareRecipient(product, admin);
  await ada.queue();
  const records = await outgoing.records(admin);
  product.queues.outgoingTexts.behave('refuses');
  await expect(outgoing.tell(records)).rejects.toThrow('hand-over-text-messages could not take this batch');
  expect(ada.sent()).toEqual([]);
  product.queues.outgoingTexts.behave('takes');
  await outgoing.tell(records);
  expect(ada.sent()).toEqual(['Hello']);
});

test('A message is not lost, and sent once, when the table fails before the provider was asked', async () => {
  const ada = await prepareRecipient(product, admin);
  await ada.queue();
  const records = await outgoing.records(admin);
  faults.next('UpdateItemCommand', replyLost);
  faults.always('UpdateItemCommand', timedOut);
  await outgoing.tell(records);
  faults.clear();
  expect(ada.sent()).toEqual([]);
  await outgoing.tellDelayed({ at: plus(new Date(), minute) });
  expect(ada.sent()).toEqual(['Hello']);
});
