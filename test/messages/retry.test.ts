import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { conversationsClient, newConversation } from '../conversations/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import {
  arrange,
  countStatuses,
  expectStatus,
  failure,
  newPhoneNumber,
  outcome,
} from '../harness/tenants.ts';
import { organizationsClient } from '../organizations/client.ts';
import { prepareOutgoing } from './outgoing.ts';
import { failedMessage } from './reported-message.ts';
import { newWebhookClient } from './webhook-client.ts';

const tenants = await setUpTenants();
const { product, admin, rep, superadmin } = tenants;
const outgoing = await prepareOutgoing(product);
const conversations = conversationsClient(product, rep);

const retry = (messageId: string, { token } = rep) =>
  product.call('retry-message', { token, path: { id: messageId } });

test('A failed message is sent again as a new one that names it', async () => {
  const { messageId, conversationId, contactId } = await failedMessage(tenants);
  const { data } = expectStatus(await retry(messageId), 201);
  expect(data).toMatchObject({
    conversationId,
    contactId,
    content: 'Hello',
    status: 'queued',
    sentBy: rep.userId,
    retryOf: messageId,
    failure: null,
  });
  await outgoing.tellAll(rep);
  expect(product.sentMessages.filter(({ id }) => id === data._id)).toHaveLength(1);
  expect((await conversations.messages(conversationId)).body.data).toMatchObject([
    { _id: data._id, status: 'sent' },
    { _id: messageId, status: 'failed' },
  ]);
  const events = await readEvents(product, admin.organizationId);
  const created = events.filter(
    ({ event, data: of }) => event === 'message_created' && of.messageId === data._id,
  );
  expect(created).toMatchObject([{ data: { message: { retryOf: messageId } } }]);
});

test('A failed message that is sent again goes to the number that the contact has now', async () => {
  const { messageId, contactId } = await failedMessage(tenants);
  const number = newPhoneNumber();
  expectStatus(
    await contactsClient(product, rep).update(contactId, { phoneNumbers: [{ value: number }] }),
    200,
  );
  const { data } = expectStatus(await retry(messageId), 201);
  await outgoing.tellAll(rep);
  expect(product.sentMessages.filter(({ id }) => id === data._id)).toMatchObject([{ to: number }]);
});

test('A failed message is sent again once, even by ten requests at the same time; the others name the new message', async () => {
  const { messageId, conversationId } = await failedMessage(tenants);
  const responses = await Promise.all(Array.from({ length: 10 }, () => retry(messageId)));
  expect(countStatuses(responses)).toEqual({ 201: 1, 409: 9 });
  const made = responses.find(({ status }) => status === 201)?.body.data._id;
  expect((await conversations.messages(conversationId)).body.data).toHaveLength(2);
  expect(outcome(await retry(messageId))).toEqual({
    status: 409,
    body: {
      success: false,
      message: 'The message has already been retried. If the newer message failed too, retry that one.',
      messageId: made,
    },
  });
});

test('A failed message that was to be sent again can be once more, if the new one is deleted before it is sent', async () => {
  const { messageId, conversationId } = await failedMessage(tenants);
  const { data } = expectStatus(await retry(messageId), 201);
  expectStatus(await product.call('delete-message', { token: rep.token, path: { id: data._id } }), 200);
  expect((await conversations.messages(conversationId)).body.data).toMatchObject([{ _id: messageId }]);
  expectStatus(await retry(messageId), 201);
});

test('Only a failed message can be sent again', async () => {
  const { messageId } = await newConversation(tenants);
  expect(outcome(await retry(messageId))).toEqual(
    failure(409, 'Only a message that failed can be retried, and this one is queued.'),
  );
  const webhook = await newWebhookClient(product, admin, rep, { isDefault: false });
  const inbound = expectStatus(await webhook.text({ From: newPhoneNumber() }), 200).data;
  expect((await retry(inbound.messageId)).status).toBe(409);
  const unknown = `${messageId.slice(0, -1)}${messageId.endsWith('0') ? '1' : '0'}`;
  for (const id of [unknown, 'none', `${messageId.slice(26)}${messageId.slice(26)}`]) {
    expect(outcome(await retry(id))).toEqual(failure(404, 'Message not found'));
  }
});

test('A failed message is not sent again to who opted out meanwhile, nor beyond the daily limit', async () => {
  const [ada, grace] = [await failedMessage(tenants), await failedMessage(tenants)];
  const consent = { path: { id: ada.contactId }, body: { sms: 'out' } };
  expectStatus(await product.call('update-consent', { token: rep.token, ...consent }), 200);
  expect((await retry(ada.messageId)).status).toBe(409);
  const above = organizationsClient(product, superadmin, admin.organizationId);
  expectStatus(await above('update-text-settings', { dailyLimit: 0 }), 200);
  expect((await retry(grace.messageId)).status).toBe(429);
  expectStatus(await above('update-text-settings', { dailyLimit: null }), 200);
  expect((await retry(grace.messageId)).status).toBe(201);
});

test('A failed message is not sent again to a contact whose number is gone: 409, and it can be retried later', async () => {
  const { messageId, contactId } = await failedMessage(tenants);
  const contacts = contactsClient(product, rep);
  expectStatus(await contacts.update(contactId, { firstName: 'Ada', phoneNumbers: [] }), 200);
  expect(outcome(await retry(messageId))).toEqual(failure(409, 'The contact no longer has a phone number.'));
  expectStatus(await contacts.update(contactId, { phoneNumbers: [{ value: newPhoneNumber() }] }), 200);
  expectStatus(await retry(messageId), 201);
});

test('A failed message is not sent again by who has no number to send from: 409, and it can be retried later', async () => {
  const { messageId } = await failedMessage(tenants);
  const above = organizationsClient(product, superadmin, admin.organizationId);
  await arrange(above('update-text-settings', { standardSender: null }));
  expect(outcome(await retry(messageId, admin))).toEqual(
    failure(409, expect.stringMatching(/^You have no active phone number to send from\./)),
  );
  await arrange(above('update-text-settings', { standardSender: true }));
  expectStatus(await retry(messageId, admin), 201);
});
