import { expect, test } from 'vitest';
import { conversationKeys, conversationsClient, messageKeys, nothingYet } from '../conversations/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { setDisabled } from '../organizations/client.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { emptyResponse, newSid, newWebhookClient } from './webhook-client.ts';

const tenants = await setUpTenants();
const { product, rep, foreignAdmin, foreignRep, newContact } = tenants;
const webhook = await newWebhookClient(product, tenants.admin, rep);

const conversations = conversationsClient(product, rep);
const read = async (name: string, id: string, { token }: Person = rep) =>
  expectStatus(await product.call(name, { token, path: { id } }), 200).data;
const contact = (id: string, person?: Person) => read('read-contact', id, person);
const conversation = (id: string) => read('read-conversation', id);
const messages = (id: string) => read('list-messages', id);

test('A text message as JSON returns 200 `{success, message, data: {messageId, conversationId, contactId, duplicate}}`', async () => {
  const { status, body } = await webhook.text({ From: newPhoneNumber() });
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['success', 'message', 'data']);
  expect(body).toEqual({
    success: true,
    message: 'Message received',
    data: {
      messageId: expect.any(String),
      conversationId: expect.any(String),
      contactId: expect.any(String),
      duplicate: false,
    },
  });
});

test('A text message as JSON of an unknown sender makes a contact of the user whose number it is, in the first stage', async () => {
  const from = newPhoneNumber();
  const at = new Date();
  const { data } = expectStatus(await webhook.text({ From: from }, { at }), 200);
  expect(await contact(data.contactId)).toMatchObject({
    firstName: 'Unknown Sender',
    lastName: '',
    source: 'Incoming SMS',
    phoneNumbers: [{ value: from, label: '', isPrimary: true }],
    stage: 'New',
    createdBy: rep.userId,
    owner: rep.userId,
    lastMessageAt: at.toISOString(),
    lastMessageDirection: 'inbound',
    createdAt: at.toISOString(),
  });
});

test('A text message as JSON of an unknown sender is not lost without an active Contact pipeline: the oldest takes the contact', async () => {
  const admin = await product.newOrganization();
  const own = await newWebhookClient(product, admin, admin);
  const pipelines = pipelinesClient(product, admin);
  const newer = await pipelines.created({ name: 'Newer', stages: ['Elsewhere'] });
  const oldest = await pipelines.deactivate('Contact');
  const nextStage = async () => {
    const { data } = expectStatus(await own.text({ From: newPhoneNumber() }), 200);
    const { pipelineId, stage } = await contact(data.contactId, admin);
    return { pipelineId, stage };
  };
  expect(await nextStage()).toEqual({ pipelineId: oldest._id, stage: 'New' });
  expectStatus(await pipelines.update(newer._id, { isActive: true }), 200);
  expect(await nextStage()).toEqual({ pipelineId: newer._id, stage: 'Elsewhere' });
});

test('A text message as JSON to the number of a user who is disabled belongs to nobody, and to the user again who is back', async () => {
  const { admin } = tenants;
  const owner = await product.newColleague(admin);
  const own = await newWebhookClient(product, admin, owner);
  const known = newPhoneNumber();
  const { _id } = await newContact({ phoneNumbers: [{ value: known }] });
  const ownersOfNext = async (From = newPhoneNumber()) => {
    const { contactId, conversationId } = expectStatus(await own.text({ From }), 200).data;
    const { userId } = await read('read-conversation', conversationId, admin);
    return { contactId, owner: (await contact(contactId, admin)).owner, userId };
  };
  await setDisabled(product, admin, owner, true);
  expect(await ownersOfNext()).toMatchObject({ owner: null, userId: null });
  expect(await ownersOfNext(known)).toEqual({ contactId: _id, owner: rep.userId, userId: null });
  await setDisabled(product, admin, owner, false);
  expect(await ownersOfNext()).toMatchObject({ owner: owner.userId, userId: owner.userId });
});

test('A text message as JSON is stored in the SMS conversation, with exactly the fields of conversations and messages', async () => {
  const at = new Date();
  const sid = newSid();
  const fields = { MessageSid: sid, From: newPhoneNumber(), Body: 'Grüße 👋\n' };
  const { data } = expectStatus(await webhook.text(fields, { at }), 200);
  const { messageId, conversationId, contactId } = data;
  const time = at.toISOString();
  const shown = await conversation(conversationId);
  expect(Object.keys(shown)).toEqual(conversationKeys);
  expect(shown).toEqual({
    _id: conversationId,
    contactId,
    organizationId: tenants.admin.organizationId,
    userId: rep.userId,
    assignees: [],
    channel: 'sms',
    lastMessage: 'Grüße 👋\n',
    lastMessageAt: time,
    messageCount: 1,
    unreadCount: 1,
    readUpTo: null,
    isResolved: false,
    createdAt: time,
    updatedAt: time,
  });
  const [message, ...others] = await messages(conversationId);
  expect(others).toEqual([]);
  expect(Object.keys(message)).toEqual(messageKeys);
  expect(message).toEqual({
    _id: messageId,
    conversationId,
    contactId,
    direction: 'inbound',
    content: 'Grüße 👋\n',
    attachments: [],
    channel: 'sms',
    status: 'received',
    sentBy: null,
    providerMessageId: sid,
    ...nothingYet,
    segments: 1,
    createdAt: time,
  });
});

test('A text message as JSON of a contact that is there is filed with it, and opens its conversation again', async () => {
  const from = newPhoneNumber();
  const { _id } = await newContact({ phoneNumbers: [{ value: from }] });
  const first = expectStatus(await webhook.text({ From: from, Body: 'One' }), 200).data;
  expect(first.contactId).toBe(_id);
  await arrange(conversations.update(first.conversationId, { isResolved: true }));
  expect((await conversation(first.conversationId)).isResolved).toBe(true);
  const second = expectStatus(await webhook.text({ From: from, Body: 'Two' }), 200).data;
  expect(second).toMatchObject({ contactId: _id, conversationId: first.conversationId });
  expect(await conversation(first.conversationId)).toMatchObject({
    isResolved: false,
    lastMessage: 'Two',
    messageCount: 2,
  });
  expect((await messages(first.conversationId)).map(({ content }: { content: string }) => content)).toEqual([
    'Two',
    'One',
  ]);
});

test('A text message as JSON emits `message_created`, and before that `contact_created` for a new contact', async () => {
  const from = newPhoneNumber();
  const { data } = expectStatus(await webhook.text({ From: from }), 200);
  await arrange(webhook.text({ From: from }));
  const events = (await readEvents(product, tenants.admin.organizationId)).filter(
    ({ data: { contactId } }) => contactId === data.contactId,
  );
  expect(events.map(({ event }) => event)).toEqual(['contact_created', 'message_created', 'message_created']);
  const [message] = await messages(data.conversationId).then((all) => all.slice(-1));
  const { duplicate: _, ...ids } = data;
  expect(events[1]?.data).toEqual({ ...ids, message });
});

test('A text message as JSON is found in any spelling of its numbers', async () => {
  const from = newPhoneNumber();
  const { _id } = await newContact({ phoneNumbers: [{ value: from }] });
  const spelled = { From: from.replace('+', '00').replace(/(\d{5})/, '$1 '), To: ` ${webhook.phoneNumber} ` };
  expect(expectStatus(await webhook.text(spelled), 200).data.contactId).toBe(_id);
});

test('A text message as JSON may come from Twilio, with all other fields that Twilio sends', async () => {
  const sid = newSid();
  const { status } = await webhook.text({
    ToCountry: 'US',
    SmsMessageSid: sid,
    NumMedia: '0',
    SmsStatus: 'received',
    SmsSid: sid,
    MessageSid: sid,
    AccountSid: `AC${'0'.repeat(32)}`,
    From: newPhoneNumber(),
    NumSegments: '1',
    ApiVersion: '2010-04-01',
  });
  expect(status).toBe(200);
});

test('A text message as JSON to a number that takes no calls is stored all the same', async () => {
  const silent = await newWebhookClient(product, tenants.admin, rep, { isInboundEnabled: false });
  expect((await silent.text({ From: newPhoneNumber() })).status).toBe(200);
});

test('A text message as JSON is stored in the organization of its number alone, even from a contact of two', async () => {
  const other = await newWebhookClient(product, foreignAdmin, foreignRep);
  const from = newPhoneNumber();
  const { data: own } = expectStatus(await webhook.text({ From: from }), 200);
  const { data: foreign } = expectStatus(await other.text({ From: from }), 200);
  expect(foreign.contactId).not.toBe(own.contactId);
  expect((await contact(foreign.contactId, foreignRep)).organizationId).toBe(foreignAdmin.organizationId);
  expect(await messages(own.conversationId)).toHaveLength(1);
});

test('A text message as a form returns 200 with an empty XML `Response`, and is stored like one of JSON', async () => {
  const from = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: from }] });
  const fields = { From: from, Body: '1 + 1 = 2 & 👋', NumMedia: '0' };
  const { status, body, headers } = await webhook.textAsForm(fields);
  expect({ status, body }).toEqual({ status: 200, body: emptyResponse });
  expect(headers['content-type']).toMatch(/^text\/xml\b/);
  const { data } = (await conversations.list({ contactId })).body;
  expect(data).toMatchObject([{ contactId, channel: 'sms', lastMessage: '1 + 1 = 2 & 👋' }]);
});

test('A text message as a form that cannot be taken is refused in JSON', async () => {
  expect(outcome(await webhook.textAsForm({ From: '' }))).toEqual(failure(400, 'From must not be empty'));
});

test('A text message as a form is found by its numbers although their plus was not encoded', async () => {
  const from = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: from }] });
  await arrange(
    webhook.textAsForm({ From: from.replace('+', ' '), To: webhook.phoneNumber.replace('+', ' ') }),
  );
  expect((await conversations.list({ contactId })).body.data).toMatchObject([{ lastMessage: 'Hello' }]);
});

test('A text message reported again is stored once: 200 with the same ids, and `duplicate` true', async () => {
  const fields = { MessageSid: newSid(), From: newPhoneNumber() };
  const first = expectStatus(await webhook.text(fields), 200);
  const again = expectStatus(await webhook.text({ ...fields, Body: 'Something else' }), 200);
  expect(again).toEqual({
    success: true,
    message: 'The message was already received',
    data: { ...first.data, duplicate: true },
  });
  expect(await conversation(first.data.conversationId)).toMatchObject({
    messageCount: 1,
    lastMessage: 'Hello',
  });
});

test('A text message reported again is known by `SmsSid` where there is no `MessageSid`', async () => {
  const sid = newSid();
  const from = newPhoneNumber();
  const first = expectStatus(await webhook.text({ MessageSid: undefined, SmsSid: sid, From: from }), 200);
  const again = expectStatus(await webhook.text({ MessageSid: sid, From: from }), 200);
  expect(again.data).toEqual({ ...first.data, duplicate: true });
});

test('A text message reported again is the same whichever path and form it comes by', async () => {
  const fields = { MessageSid: newSid(), From: newPhoneNumber() };
  const first = expectStatus(await webhook.text(fields, { provider: 'twilio' }), 200);
  expect((await webhook.textAsForm(fields)).body).toBe(emptyResponse);
  expect((await conversation(first.data.conversationId)).messageCount).toBe(1);
});

test('A text message reported again stays known after its contact was deleted', async () => {
  const fields = { MessageSid: newSid(), From: newPhoneNumber() };
  const first = expectStatus(await webhook.text(fields), 200);
  await arrange(product.call('delete-contact', { token: rep.token, path: { id: first.data.contactId } }));
  expect((await webhook.text(fields)).body.data).toEqual({ ...first.data, duplicate: true });
});

test('A text message reported again is another message in another organization, or of another provider', async () => {
  const other = await newWebhookClient(product, tenants.admin, rep, { provider: 'another' });
  const foreign = await newWebhookClient(product, foreignAdmin, foreignRep);
  const fields = { MessageSid: newSid(), From: newPhoneNumber() };
  for (const one of [webhook, other, foreign]) {
    expect((await one.text(fields)).body.data.duplicate).toBe(false);
  }
});
