import { expect, test } from 'vitest';
import { contactsIn, conversationsIn, expectConsistent, messagesIn } from '../calls/consistency.ts';
import { contactsClient } from '../contacts/client.ts';
import { conflict, replyLost, timedOut } from '../contacts/faulty-table.ts';
import { conversationsClient } from '../conversations/client.ts';
import type { ApiResponse } from '../harness/call.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { newSid, newWebhookClient, type WebhookClient } from './webhook-client.ts';

const product = await setUpProduct();

/** A number of a new organization, so that its table can be looked at as a whole. */
async function newWebhook(): Promise<{ admin: Person; webhook: WebhookClient }> {
  const admin = await product.newOrganization();
  return { admin, webhook: await newWebhookClient(product, admin, admin) };
}

async function whole(admin: Person) {
  const records = await expectConsistent(product, admin);
  return {
    contacts: contactsIn(records),
    conversations: conversationsIn(records),
    messages: messagesIn(records),
  };
}

const times = <Result>(count: number, make: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

const dataOf = (responses: readonly ApiResponse[]) =>
  responses.map((response) => expectStatus(response, 200).data);

test('100 simultaneous copies of one text message are one message of one contact: 100 × 200 with equal ids, 99 of them duplicates', async () => {
  const { admin, webhook } = await newWebhook();
  const fields = { MessageSid: newSid(), From: newPhoneNumber() };
  const data = dataOf(await times(100, () => webhook.text(fields)));
  const ids = data.map(({ duplicate: _, ...one }) => one);
  expect(ids).toEqual(ids.map(() => ids[0]));
  expect(data.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
  const { contacts, conversations, messages } = await whole(admin);
  expect(messages.map(({ _id }) => _id)).toEqual([ids[0].messageId]);
  expect(conversations).toMatchObject([{ _id: ids[0].conversationId, messageCount: 1 }]);
  expect(contacts.map(({ _id }) => _id)).toEqual([ids[0].contactId]);
});

test('20 simultaneous text messages of one unknown number are one contact with one conversation of 20 messages', async () => {
  const { admin, webhook } = await newWebhook();
  const from = newPhoneNumber();
  const data = dataOf(await times(20, (index) => webhook.text({ From: from, Body: `Text ${index}` })));
  expect(new Set(data.map(({ messageId }) => messageId)).size).toBe(20);
  expect(new Set(data.map(({ contactId, conversationId }) => contactId + conversationId)).size).toBe(1);
  const { contacts, conversations, messages } = await whole(admin);
  expect(contacts).toMatchObject([{ firstName: 'Unknown Sender', lastMessageDirection: 'inbound' }]);
  expect(conversations).toMatchObject([{ messageCount: 20 }]);
  expect(messages.map(({ content }) => content).sort()).toEqual(
    Array.from({ length: 20 }, (_, index) => `Text ${index}`).sort(),
  );
  const latest = messages
    .map(({ createdAt }) => createdAt)
    .sort()
    .at(-1);
  expect(conversations[0]?.lastMessageAt).toBe(latest);
  expect(contacts[0]?.lastMessageAt).toBe(latest);
});

test('20 simultaneous text messages among edits and moves of the contact and replies to it lose nothing', async () => {
  const { admin, webhook } = await newWebhook();
  const from = newPhoneNumber();
  const [own, { send }] = [contactsClient(product, admin), conversationsClient(product, admin)];
  const { _id } = await own.created({ firstName: 'Busy', phoneNumbers: [{ value: from }] });
  const responses = await Promise.all([
    times(10, (index) => webhook.text({ From: from, Body: `In ${index}` })),
    times(5, (index) => send({ contactId: _id, content: `Out ${index}` })),
    times(3, (index) => own.update(_id, { lastName: `Edit ${index}` })),
    times(2, (index) => own.move(_id, { stage: ['Won', 'Lost'][index] })),
  ]);
  expect(new Set(responses.flat().map(({ status }) => status))).toEqual(new Set([200, 201]));
  const { contacts, conversations, messages } = await whole(admin);
  expect(contacts).toHaveLength(1);
  expect(conversations).toMatchObject([{ messageCount: 15 }]);
  expect(messages).toHaveLength(15);
});

test('20 simultaneous text messages while the contact is deleted are stored with it, or with a new one', async () => {
  const { admin, webhook } = await newWebhook();
  for (let round = 0; round < 10; round += 1) {
    const from = newPhoneNumber();
    const first = expectStatus(await webhook.text({ From: from }), 200).data;
    const [removed, ...responses] = await Promise.all([
      contactsClient(product, admin).remove(first.contactId),
      ...Array.from({ length: 5 }, () => webhook.text({ From: from })),
    ]);
    expect(removed.status).toBe(200);
    const data = dataOf(responses);
    const later = expectStatus(await webhook.text({ From: from }), 200).data;
    expect(later.contactId).not.toBe(first.contactId);
    expect(data.every(({ contactId }) => [first.contactId, later.contactId].includes(contactId))).toBe(true);
    const conversations = conversationsClient(product, admin);
    const { data: conversation } = (await conversations.read(later.conversationId)).body;
    const stored = data.filter(({ contactId }) => contactId === later.contactId).length;
    expect(conversation.messageCount).toBe(stored + 1);
  }
});

const faults = setUpFaultyTable();

test.each([
  ['the reply to its transaction is lost', [replyLost]],
  ['other transactions are in the way', [conflict, conflict, conflict]],
  ['the table does not answer at first', [timedOut]],
])('A text message is stored once when %s', async (_, met) => {
  const { admin, webhook } = await newWebhook();
  const fields = { MessageSid: newSid(), From: newPhoneNumber() };
  faults.next('TransactWriteItemsCommand', ...met);
  const { data } = expectStatus(await webhook.text(fields), 200);
  faults.clear();
  expect(data.duplicate).toBe(false);
  expect((await webhook.text(fields)).body.data).toEqual({ ...data, duplicate: true });
  expect((await whole(admin)).messages.map(({ _id }) => _id)).toEqual([data.messageId]);
});
