import { expect, test } from 'vitest';
import { operationNamed, parsedBody } from '../access/parsed-body.ts';
import { callsClient } from '../calls/client.ts';
import { contactsClient } from '../contacts/client.ts';
import { conversationsClient, messageKeys, nothingYet } from '../conversations/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { prepareOutgoing } from './outgoing.ts';
import { newWebhookClient } from './webhook-client.ts';

const { product, superadmin, admin, head, rep, otherRep, otherHead, foreignAdmin, foreignRep, newContact } =
  await setUpTenants();
const outgoing = await prepareOutgoing(product);

const clientOf = (person: Person = rep) => conversationsClient(product, person);

/** What the provider was given for a message. */
async function sent(messageId: string) {
  await outgoing.tellAll(admin);
  return product.sentMessages.filter(({ id }) => id === messageId);
}

test('A message that is sent returns 201 `{success: true, message, data: Message}`, queued, with exactly the fields of a message', async () => {
  const { _id: contactId } = await newContact();
  const at = new Date();
  const { status, body } = await clientOf().send({ contactId, content: 'Grüße 👋\n' }, at);
  expect(status).toBe(201);
  expect(Object.keys(body)).toEqual(['success', 'message', 'data']);
  expect(Object.keys(body.data)).toEqual(messageKeys);
  expect(body).toEqual({
    success: true,
    message: 'Message queued',
    data: {
      _id: expect.any(String),
      conversationId: expect.any(String),
      contactId,
      direction: 'outbound',
      content: 'Grüße 👋\n',
      attachments: [],
      channel: 'sms',
      status: 'queued',
      sentBy: rep.userId,
      providerMessageId: null,
      ...nothingYet,
      segments: 1,
      createdAt: at.toISOString(),
    },
  });
  expect((await clientOf().messages(body.data.conversationId)).body.data).toEqual([body.data]);
});

test('A message that is sent begins the SMS conversation of the contact, of who writes, or continues it', async () => {
  const { _id: contactId } = await newContact();
  const { data: first } = expectStatus(await clientOf().send({ contactId, content: 'One' }), 201);
  const { data: second } = expectStatus(
    await clientOf(head).send({ contactId, content: 'Two', conversationId: first.conversationId }),
    201,
  );
  expect(second.conversationId).toBe(first.conversationId);
  expect((await clientOf().read(first.conversationId)).body.data).toMatchObject({
    contactId,
    channel: 'sms',
    userId: rep.userId,
    lastMessage: 'Two',
    lastMessageAt: second.createdAt,
    messageCount: 2,
    isResolved: false,
  });
});

test('A message that is sent emits `message_created`, and marks its contact as answered', async () => {
  const { _id: contactId } = await newContact();
  const { data } = expectStatus(await clientOf().send({ contactId, content: 'Hello' }), 201);
  const events = await readEvents(product, admin.organizationId);
  const [event] = events.filter((one) => one.event === 'message_created' && one.data.contactId === contactId);
  expect(event?.data).toEqual({
    messageId: data._id,
    conversationId: data.conversationId,
    contactId,
    message: data,
  });
  expect(event?.audience).toEqual({ kind: 'record', people: [rep.userId] });
  const contacts = contactsClient(product, rep);
  expect((await contacts.read(contactId)).body.data).toMatchObject({
    lastMessageAt: data.createdAt,
    lastMessageDirection: 'outbound',
  });
  const answered = await contacts.everything({ messageStatus: 'answered' });
  expect(answered.map(({ _id }) => _id)).toContain(contactId);
});

test('A message that is sent leaves a resolved conversation resolved', async () => {
  const { _id: contactId } = await newContact();
  const { data } = expectStatus(await clientOf().send({ contactId, content: 'One' }), 201);
  expectStatus(await clientOf().update(data.conversationId, { isResolved: true }), 200);
  expectStatus(await clientOf().send({ contactId, content: 'Two' }), 201);
  expect((await clientOf().read(data.conversationId)).body.data.isResolved).toBe(true);
});

test('A message that is sent by a SUPERADMIN from elsewhere begins a conversation that is nobody’s', async () => {
  const { _id: contactId } = await newContact();
  const response = await product.call('send-message', {
    token: superadmin.token,
    headers: { 'x-organization-id': admin.organizationId },
    body: { contactId, content: 'Hello' },
  });
  const { data } = expectStatus(response, 201);
  expect(data.sentBy).toBe(superadmin.userId);
  expect((await clientOf().read(data.conversationId)).body.data.userId).toBeNull();
});

test('The numbers of a message are the default one of who writes, and the primary one of the contact', async () => {
  const webhook = await newWebhookClient(product, admin, otherRep);
  const [primary, other] = [newPhoneNumber(), newPhoneNumber()];
  const { _id: contactId } = await newContact({
    phoneNumbers: [{ value: other }, { value: primary, isPrimary: true }],
    assignees: [otherRep.userId],
  });
  const { data } = expectStatus(await clientOf(otherRep).send({ contactId, content: 'Hello' }), 201);
  expect(await sent(data._id)).toEqual([
    {
      id: data._id,
      from: webhook.phoneNumber,
      to: primary,
      content: 'Hello',
      mediaUrls: [],
      statusPath: expect.any(String),
    },
  ]);
});

test('A message of somebody without a number is from none in particular', async () => {
  const { _id: contactId } = await newContact();
  const { data } = expectStatus(await clientOf(head).send({ contactId, content: 'Hello' }), 201);
  expect(await sent(data._id)).toMatchObject([{ from: undefined }]);
});

test('A message of somebody without a number is from the one to which the last message came in', async () => {
  const webhook = await newWebhookClient(product, admin, otherHead);
  const [primary, other] = [newPhoneNumber(), newPhoneNumber()];
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: primary }, { value: other }] });
  expectStatus(await webhook.text({ From: other }), 200);
  const { data } = expectStatus(await clientOf(head).send({ contactId, content: 'Hello' }), 201);
  expect(await sent(data._id)).toMatchObject([{ from: webhook.phoneNumber, to: other }]);

  // A number that the contact, or the organization, has given up is used no more.
  await arrange(contactsClient(product, rep).update(contactId, { phoneNumbers: [{ value: primary }] }));
  await arrange(
    product.call('remove-phone-number', {
      token: admin.token,
      path: { organizationId: admin.organizationId, phoneNumber: webhook.phoneNumber },
    }),
  );
  await newWebhookClient(product, foreignAdmin, foreignRep, { phoneNumber: webhook.phoneNumber });
  const { data: next } = expectStatus(await clientOf(head).send({ contactId, content: 'Hi' }), 201);
  expect(await sent(next._id)).toMatchObject([{ from: undefined, to: primary }]);
});

test('A message to a contact without a number is 400', async () => {
  const { _id: contactId } = await newContact({ phoneNumbers: [] });
  expect(outcome(await clientOf().send({ contactId, content: 'Hello' }))).toEqual(
    failure(400, 'contactId must be the id of a contact with a phone number'),
  );
});

test('A message in a conversation that is not the SMS conversation of the contact is 404', async () => {
  const from = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: from }] });
  const other = await newContact();
  const call = await callsClient(product, rep).answered(from);
  const elsewhere = expectStatus(await clientOf().send({ contactId: other._id, content: 'Hi' }), 201);
  for (const conversationId of [
    call.conversationId,
    elsewhere.data.conversationId,
    '01JZZZZZZZZZZZZZZZZZZZZZZZ',
  ]) {
    expect(outcome(await clientOf().send({ contactId, conversationId, content: 'Hello' }))).toEqual(
      failure(404, "conversationId is not the id of the contact's SMS conversation"),
    );
  }
});

test.each<[Record<string, unknown>, string]>([
  [{}, 'content is required unless there is a templateId or an attachment'],
  [{ content: '' }, 'content is required unless there is a templateId or an attachment'],
  [{ content: ' \n\t' }, 'content is required unless there is a templateId or an attachment'],
  [{ content: 'Hi', templateId: 'x' }, 'content and templateId cannot be sent together'],
  [{ content: 7 }, 'content must be a string'],
  [{ content: null }, 'content is required unless there is a templateId or an attachment'],
  [{ content: 'Hi', attachments: {} }, 'attachments must be an array'],
  [{ content: 'Hi', attachments: [{}] }, 'attachments[0].key is required; attachments[0].name is required'],
  [{ content: 'Hi', contactId: undefined }, 'contactId is required'],
])('A message like %j is refused with what is wrong with it', async (fields, message) => {
  expect(await parsedBody(operationNamed('send-message'), { contactId: 'x', ...fields })).toBe(message);
});
