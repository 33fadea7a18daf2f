import { afterEach, describe, expect, test } from 'vitest';
import { contactIdIn } from '../../shared/contacts/contact.ts';
import { messageKey } from '../../shared/conversations/conversation.ts';
import { after, minute, second } from '../../shared/kernel/time.ts';
import { contactsClient, eventsOf } from '../contacts/client.ts';
import { timedOut } from '../contacts/faulty-table.ts';
import { conversationsClient, newConversation } from '../conversations/client.ts';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import { deliverKept } from '../harness/queues.ts';
import { arrange, failure, newPhoneNumber, outcome, statusesOf } from '../harness/world.ts';
import { rowsOf } from '../seed/table.ts';
import { outgoingOf } from './outgoing.ts';
import { callbackQuery, type Report, statusClient } from './status-client.ts';
import { emptyResponse, newSid, newWebhookClient } from './webhook-client.ts';

const world = await setUpWorld();
const { product, admin, rep } = world;
const outgoing = await outgoingOf(product);
const report = statusClient(product);
const secret = '0123456789abcdef0123456789abcdef';
const faults = setUpFaultyTable();
// Everything that `rep` sends leaves from this number.
const { phoneNumber } = await newWebhookClient(product, admin, rep, { secret, isDefault: true });
// It has no secret.
const other = await newWebhookClient(product, admin, rep);
afterEach(() => {
  faults.clear();
  product.queues.keptRequests.take();
});

const messagesOf = async (conversationId: string) =>
  (await conversationsClient(product, rep).messages(conversationId)).body.data;

/** A message that waits to be sent, and one that the provider has taken. */
async function queuedMessage() {
  const ids = await newConversation(world);
  const told = (await outgoing.records(rep)).filter(({ dynamodb }) =>
    dynamodb?.Keys?.sk?.S?.includes(ids.messageId),
  );
  const send = async () => {
    await outgoing.tell(told);
    return product.sentMessages.filter(({ id }) => id === ids.messageId);
  };
  const read = async () => (await messagesOf(ids.conversationId))[0];
  /** Its statuses as the events told them, and as what it was created. */
  const moves = async () =>
    (await eventsOf(product, admin.organizationId))
      .filter(({ event, data }) => event.startsWith('message_') && data.messageId === ids.messageId)
      .map(({ data }) => (data.message as { status: string }).status);
  return { ...ids, send, read, moves };
}

async function sentMessage() {
  const message = await queuedMessage();
  const [sent] = await message.send();
  const sid: string = (await message.read()).providerMessageId;
  return { ...message, sid, query: callbackQuery(sent?.statusPath ?? '') };
}

const delivered = (sid: string): Report => ({ MessageSid: sid, MessageStatus: 'delivered' });

test('The status of a message is told by the provider at the address that it was given with the message', async () => {
  const message = await sentMessage();
  const answer = await report(
    { ...delivered(message.sid), To: '+1', From: phoneNumber },
    { secret, query: message.query },
  );
  expect([answer.status, answer.body]).toEqual([200, emptyResponse]);
  const at = new Date();
  expect(await message.read()).toMatchObject({ status: 'delivered', failure: null });
  expect(Math.abs(Date.parse((await message.read()).deliveredAt) - at.getTime())).toBeLessThan(60_000);
  expect(await message.moves()).toEqual(['queued', 'sent', 'delivered']);
});

test('The status of a message as JSON answers `{success, message, data}`, also by the id of the provider alone', async () => {
  const { sid, messageId, conversationId, contactId, moves } = await sentMessage();
  const data = { messageId, conversationId, contactId, status: 'delivered', duplicate: false };
  const first = await report(delivered(sid), { secret, as: 'JSON' });
  expect(outcome(first)).toEqual({
    status: 200,
    body: { success: true, message: 'Status recorded', data },
  });
  expect((await report(delivered(sid), { secret, as: 'JSON' })).body.data).toEqual({
    ...data,
    duplicate: true,
  });
  expect(await moves()).toEqual(['queued', 'sent', 'delivered']);
});

test('The status of a message that nobody knows is 200, and writes nothing', async () => {
  const rows = async () =>
    (await rowsOf(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', product.tableName)).length;
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

test('The status of a message is not told through an address that names another number, or another organization', async () => {
  const { sid, query, read } = await sentMessage();
  const open = await newWebhookClient(product, world.foreigner, world.foreigner);
  const { from: _, ...withoutNumber } = query;
  for (const forged of [
    withoutNumber,
    { ...query, from: open.phoneNumber },
    { ...query, from: newPhoneNumber() },
  ]) {
    expect((await report(delivered(sid), { query: forged, as: 'JSON' })).body.data.messageId).toBeNull();
  }
  const abroad = { ...query, organization: world.foreigner.organizationId };
  expect(
    (await report(delivered(sid), { query: abroad, as: 'JSON', secret })).body.data.messageId,
  ).toBeNull();
  expect((await read()).status).toBe('sent');
});

test('The status of a message that comes before the outcome of its sending is not lost, and the message is not sent again', async () => {
  const message = await queuedMessage();
  const sid = newSid();
  const query = {
    organization: admin.organizationId,
    conversation: message.conversationId,
    message: message.messageId,
    from: phoneNumber,
  };
  expect((await report({ MessageSid: sid, MessageStatus: 'queued' }, { secret, query })).status).toBe(200);
  expect(await message.read()).toMatchObject({ status: 'queued', providerMessageId: sid });
  expect(await message.send()).toEqual([]);
  await report({ MessageSid: sid, MessageStatus: 'sent' }, { secret });
  await report(delivered(sid), { secret, query });
  expect(await message.read()).toMatchObject({ status: 'delivered', providerMessageId: sid });
  expect((await report({ MessageSid: sid, MessageStatus: 'read' }, { secret })).status).toBe(200);
  expect(await message.moves()).toEqual(['queued', 'sent', 'delivered', 'read']);
});

test('The status of a message that fails says why, with the code of the provider', async () => {
  for (const [code, failure] of [
    ['30005', { code: '30005', reason: 'The number does not exist or is no longer in use.' }],
    [
      '30007',
      { code: '30007', reason: 'The message was filtered as unwanted, by the provider or by the carrier.' },
    ],
    ['39999', { code: '39999', reason: 'The provider could not deliver the message (code 39999).' }],
    ['', { code: 'UNKNOWN', reason: 'The message could not be delivered. The provider does not say why.' }],
  ] as const) {
    const { sid, read, moves } = await sentMessage();
    await report({ MessageSid: sid, MessageStatus: 'undelivered', ErrorCode: code }, { secret });
    expect(await read()).toMatchObject({ status: 'undelivered', failure, deliveredAt: null });
    expect(await moves()).toEqual(['queued', 'sent', 'undelivered']);
  }
});

test('The status of a message whose recipient has opted out at the provider sets the consent of the contact', async () => {
  const { sid, contactId, read } = await sentMessage();
  await report({ MessageSid: sid, MessageStatus: 'failed', ErrorCode: '21610' }, { secret });
  expect(await read()).toMatchObject({ status: 'failed', failure: { code: '21610' } });
  const { consent } = (await contactsClient(product, rep).read(contactId)).body.data;
  expect(consent).toMatchObject({ sms: 'out', source: 'provider' });
  const events = (await eventsOf(product, admin.organizationId)).filter(
    ({ data }) => data.contactId === contactId,
  );
  expect(events.map(({ event }) => event).slice(-2)).toEqual(['contact_updated', 'message_updated']);
  expect((await conversationsClient(product, rep).send({ contactId, content: 'Hello' })).status).toBe(409);
});

test('The status of a message whose recipient has opted in since the provider refused it leaves the consent', async () => {
  const { sid, contactId } = await sentMessage();
  const contacts = contactsClient(product, rep);
  const { data } = (await contacts.read(contactId)).body;
  const at = after(new Date(), -minute);
  await arrange(other.text({ From: data.phoneNumbers[0].value, Body: 'START' }));
  await report({ MessageSid: sid, MessageStatus: 'failed', ErrorCode: '21610' }, { secret, at });
  expect((await contacts.read(contactId)).body.data.consent).toMatchObject({ sms: 'in', source: 'keyword' });
});

test('The status of a message that means nothing changes nothing, and says which message it is', async () => {
  const { sid, messageId, query, read } = await sentMessage();
  const canceled = { MessageSid: sid, MessageStatus: 'canceled' };
  expect((await report(canceled, { query, as: 'JSON' })).status).toBe(403);
  const { body } = await report(canceled, { query, as: 'JSON', secret });
  expect(body).toMatchObject({
    message: 'This status changes nothing',
    data: { messageId, status: 'sent', duplicate: true },
  });
  expect((await read()).status).toBe('sent');
});

test.each(['', 'x'.repeat(3_000), 'a#b', '\u0000'])(
  'The status of a message whose address names %j as its number is looked up by the id of the provider',
  async (from) => {
    const { sid, query, read } = await sentMessage();
    const answer = await report(delivered(sid), { query: { ...query, from }, as: 'JSON', secret });
    expect(answer.status).toBe(200);
    expect((await read()).status).toBe('delivered');
    expect(product.queues.keptRequests.take()).toEqual([]);
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

describe('The status of a message from a number without a secret', () => {
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

  test('takes no message off the queue', async () => {
    const { _id, conversationId, send, read, consent } = await openMessage();
    const { from } =
      (
        await product
          .tableOf(admin.organizationId)
          .table.read(messageKey(contactIdIn(_id), conversationId, _id))
      )?.data ?? {};
    const query = {
      organization: admin.organizationId,
      conversation: conversationId,
      message: _id,
      from: from ?? '',
    };
    for (const MessageStatus of ['queued', 'sent', 'failed']) {
      const answer = await report({ ...optedOut('whatever'), MessageStatus }, { query, as: 'JSON' });
      expect(answer.body.data.messageId).toBeNull();
    }
    expect(await send()).toBeDefined();
    expect([(await read()).status, await consent()]).toEqual(['sent', 'in']);
  });

  test('counts with the id of the provider, and opts nobody out', async () => {
    const { send, read, consent } = await openMessage();
    const query = callbackQuery((await send())?.statusPath ?? '');
    expect((await report(optedOut('SM-other'), { query, as: 'JSON' })).body.data.messageId).toBeNull();
    await report(optedOut((await read()).providerMessageId), { query });
    expect([(await read()).status, await consent()]).toEqual(['failed', 'in']);
  });
});

test('The status of a message comes 100 times at once: the message moves once', async () => {
  const { sid, query, read, moves } = await sentMessage();
  const statuses = ['sent', 'delivered', 'delivered', 'undelivered', 'queued'];
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      report(
        { MessageSid: sid, MessageStatus: statuses[index % statuses.length] ?? '', ErrorCode: '30003' },
        { secret, as: 'JSON', query: index % 2 === 0 ? query : {} },
      ),
    ),
  );
  expect(statusesOf(answers)).toEqual({ 200: 100 });
  const { status } = await read();
  expect(['delivered', 'undelivered']).toContain(status);
  expect(await moves()).toEqual(['queued', 'sent', status]);
  expect(answers.filter(({ body }) => !body.data.duplicate)).toHaveLength(1);
});

test('The status of a message is told in order, also to those who resume, when reports come in the same millisecond', async () => {
  const at = new Date();
  for (let count = 0; count < 10; count += 1) {
    const { sid, moves } = await sentMessage();
    await report({ MessageSid: sid, MessageStatus: 'delivered' }, { secret, at });
    await report({ MessageSid: sid, MessageStatus: 'read' }, { secret, at });
    expect((await moves()).slice(-2)).toEqual(['delivered', 'read']);
  }
});

test('The status of a message is told after the message itself, also when the clock of who sends it is behind', async () => {
  const ids = await newConversation(world);
  await outgoing.tellAll(rep, after(new Date(), -2 * second));
  const events = (await eventsOf(product, admin.organizationId)).filter(
    ({ data }) => data.messageId === ids.messageId,
  );
  const told = events.sort((one, another) => (one.id < another.id ? -1 : 1)).map(({ event }) => event);
  expect(told).toEqual(['message_created', 'message_updated']);
});

test('The status of a message that the table cannot take is kept, and recorded once it can', async () => {
  const { sid, query, read } = await sentMessage();
  faults.always('TransactWriteItemsCommand', timedOut);
  const answer = await report(delivered(sid), { secret, query });
  expect([answer.status, answer.body]).toEqual([200, emptyResponse]);
  faults.clear();
  const kept = product.queues.keptRequests.take();
  expect(kept).toMatchObject([{ group: sid }]);
  await deliverKept(
    { ...product.providers, objects: await product.objects.provider('downloads') },
    kept.map(({ body }) => body),
  );
  expect((await read()).status).toBe('delivered');
});

test('The status of a message is understood until its contact is deleted', async () => {
  const { sid, contactId } = await sentMessage();
  await contactsClient(product, rep).remove(contactId);
  expect((await report(delivered(sid), { secret, as: 'JSON' })).body.data.messageId).toBeNull();
});

test.each([
  [{ MessageStatus: 'sent' }, 'MessageSid is required'],
  [{ MessageSid: 'SM1' }, 'MessageStatus is required'],
])('The status of a message is refused with 400 if it is %j', async (fields, problem) => {
  expect(outcome(await report(fields as Report, { as: 'JSON' }))).toEqual(failure(400, problem));
});
