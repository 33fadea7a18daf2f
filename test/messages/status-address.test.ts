import { describe, expect, test } from 'vitest';
import { messageKey } from '../../shared/conversations/conversation.ts';
import { contactsClient } from '../contacts/client.ts';
import { conversationsClient } from '../conversations/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { readRows } from '../seed/table.ts';
import { sendableMessages } from './sendable-messages.ts';
import { callbackQuery, type Report, statusClient } from './status-client.ts';
import { newSid, newWebhookClient } from './webhook-client.ts';

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const { outgoing, queuedMessage, sentMessage } = await sendableMessages(tenants);
const report = statusClient(product);
const secret = '0123456789abcdef0123456789abcdef';
// Everything that `rep` sends leaves from this number.
const { phoneNumber } = await newWebhookClient(product, admin, rep, { secret, isDefault: true });

const delivered = (sid: string): Report => ({ MessageSid: sid, MessageStatus: 'delivered' });

test('The status of a message that nobody knows is 200, and writes nothing', async () => {
  const rows = async () =>
    (await readRows(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', product.tableName)).length;
  const before = await rows();
  const { status, body } = await report(delivered(newSid()), { as: 'JSON' });
  expect([status, body.data.messageId]).toEqual([200, null]);
  const ids = { organization: 'a', conversation: 'b', message: 'c' };
  for (const query of [ids, { ...ids, message: 'a#b' }, { ...ids, organization: '' }]) {
    expect((await report(delivered(newSid()), { query })).status).toBe(200);
  }
  expect(await rows()).toBe(before);
});

test('The status of a message needs the signature of the number that it was sent from', async () => {
  const { sid, query, read } = await sentMessage();
  const refused = failure(
    403,
    'X-Twilio-Signature does not match this request. Sign the URL called and the body with the secret of the phone number.',
  );
  expect(outcome(await report(delivered(sid)))).toEqual(refused);
  expect(outcome(await report(delivered(sid), { query }))).toEqual(refused);
  expect(outcome(await report(delivered(sid), { query, as: 'JSON', secret: 'another secret' }))).toEqual(
    refused,
  );
  expect((await read()).status).toBe('sent');
});

test('The status of a message is not taken from an address that names another number, or another organization', async () => {
  const { sid, query, read } = await sentMessage();
  const open = await newWebhookClient(product, tenants.foreignAdmin, tenants.foreignAdmin);
  const { from: _, ...withoutNumber } = query;
  for (const forged of [
    withoutNumber,
    { ...query, from: open.phoneNumber },
    { ...query, from: newPhoneNumber() },
  ]) {
    expect((await report(delivered(sid), { query: forged, as: 'JSON' })).body.data.messageId).toBeNull();
  }
  const abroad = { ...query, organization: tenants.foreignAdmin.organizationId };
  expect(
    (await report(delivered(sid), { query: abroad, as: 'JSON', secret })).body.data.messageId,
  ).toBeNull();
  expect((await read()).status).toBe('sent');
});

test.each(['', 'x'.repeat(3_000), 'a#b', '\u0000'])(
  'The status of a message whose address names %j as its number is looked up by the id of the provider',
  async (from) => {
    const { sid, query, read } = await sentMessage();
    const response = await report(delivered(sid), { query: { ...query, from }, as: 'JSON', secret });
    expect(response.status).toBe(200);
    expect((await read()).status).toBe('delivered');
    expect(product.queues.deferredRequests.take()).toEqual([]);
  },
);

test('The status of a message with an id of 200,000 characters stores 200 of them', async () => {
  const { conversationId, messageId, read } = await queuedMessage();
  const query = {
    organization: admin.organizationId,
    conversation: conversationId,
    message: messageId,
    from: phoneNumber,
  };
  const MessageSid = 'S'.repeat(200_000);
  await report({ MessageSid, MessageStatus: 'sent' }, { query, secret });
  expect(await read()).toMatchObject({ status: 'sent', providerMessageId: 'S'.repeat(200) });
  await report(delivered(MessageSid), { secret });
  expect((await read()).status).toBe('delivered');
});

describe('Reports for a number without a secret', () => {
  const optedOut = (sid: string) => ({ MessageSid: sid, MessageStatus: 'failed', ErrorCode: '21610' });

  /** A message of a user with such a number. */
  async function openMessage() {
    const own = await product.newColleague(admin);
    await newWebhookClient(product, admin, own, { isDefault: true });
    const conversations = conversationsClient(product, own);
    const contacts = contactsClient(product, own);
    const { _id: contactId } = await contacts.created({
      firstName: 'Ada',
      phoneNumbers: [{ value: newPhoneNumber() }],
    });
    const { data } = await arrange(conversations.send({ contactId, content: 'Hello' }));
    const send = async () => {
      await outgoing.tellAll(admin);
      return product.sentMessages.find(({ id }) => id === data._id);
    };
    const read = async () => (await conversations.messages(data.conversationId)).body.data[0];
    const consent = async () => (await contacts.read(contactId)).body.data.consent.sms;
    return { ...data, send, read, consent };
  }

  test('The status of a message from a number without a secret takes no message off the queue', async () => {
    const { _id, conversationId, send, read, consent } = await openMessage();
    const { from } =
      (await product.tableOf(admin.organizationId).table.read(messageKey(conversationId, _id)))?.data ?? {};
    const query = {
      organization: admin.organizationId,
      conversation: conversationId,
      message: _id,
      from: from ?? '',
    };
    for (const MessageStatus of ['queued', 'sent', 'failed']) {
      const response = await report({ ...optedOut('whatever'), MessageStatus }, { query, as: 'JSON' });
      expect(response.body.data.messageId).toBeNull();
    }
    expect(await send()).toBeDefined();
    expect([(await read()).status, await consent()]).toEqual(['sent', 'in']);
  });

  test('The status of a message from a number without a secret counts with the id of the provider, and opts nobody out', async () => {
    const { send, read, consent } = await openMessage();
    const query = callbackQuery((await send())?.statusPath ?? '');
    expect((await report(optedOut('SM-other'), { query, as: 'JSON' })).body.data.messageId).toBeNull();
    await report(optedOut((await read()).providerMessageId), { query });
    expect([(await read()).status, await consent()]).toEqual(['failed', 'in']);
  });
});

test.each([
  [{ MessageStatus: 'sent' }, 'MessageSid is required'],
  [{ MessageSid: 'SM1' }, 'MessageStatus is required'],
  [{ MessageSid: 'SM1', MessageStatus: ' ', SmsStatus: ' ' }, 'MessageStatus is required'],
])('The status of a message is refused with 400 if it is %j', async (fields, problem) => {
  expect(outcome(await report(fields as Report, { as: 'JSON' }))).toEqual(failure(400, problem));
});
