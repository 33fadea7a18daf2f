import { afterEach, expect, test } from 'vitest';
import { after, hour, minute, second } from '../../shared/kernel/time.ts';
import { contactsClient } from '../contacts/client.ts';
import { timedOut } from '../contacts/faulty-table.ts';
import { conversationsClient, newConversation } from '../conversations/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { deliverDeferred } from '../harness/queues.ts';
import { arrange, countStatuses, outcome } from '../harness/tenants.ts';
import { sendableMessages } from './sendable-messages.ts';
import { type Report, statusClient } from './status-client.ts';
import { emptyResponse, newSid, newWebhookClient } from './webhook-client.ts';

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const { outgoing, queuedMessage, sentMessage } = await sendableMessages(tenants);
const report = statusClient(product);
const secret = '0123456789abcdef0123456789abcdef';
const faults = setUpFaultyTable();
// Everything that `rep` sends leaves from this number.
const { phoneNumber } = await newWebhookClient(product, admin, rep, { secret, isDefault: true });
// It has no secret.
const other = await newWebhookClient(product, admin, rep);
afterEach(() => {
  faults.clear();
  product.queues.deferredRequests.take();
});

const delivered = (sid: string): Report => ({ MessageSid: sid, MessageStatus: 'delivered' });

test('The provider reports the status of a message at the address that it was given with the message', async () => {
  const message = await sentMessage();
  const response = await report(
    { ...delivered(message.sid), To: '+1', From: phoneNumber },
    { secret, query: message.query },
  );
  expect([response.status, response.body]).toEqual([200, emptyResponse]);
  const at = new Date();
  expect(await message.read()).toMatchObject({ status: 'delivered', failure: null });
  expect(Math.abs(Date.parse((await message.read()).deliveredAt) - at.getTime())).toBeLessThan(60_000);
  expect(await message.moves()).toEqual(['queued', 'sent', 'delivered']);
});

test('The status of a message as JSON returns `{success, message, data}`, even by the id of the provider alone', async () => {
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

test('The status of a message whose response from the provider was lost keeps it from being sent again', async () => {
  const message = await queuedMessage();
  const { data } = (await contactsClient(product, rep).read(message.contactId)).body;
  const number = data.phoneNumbers[0].value;
  product.sms.behave(number, 'unavailable');
  expect(await message.send()).toEqual([]);
  const query = {
    organization: admin.organizationId,
    conversation: message.conversationId,
    message: message.messageId,
    from: phoneNumber,
  };
  await report({ MessageSid: newSid(), MessageStatus: 'sent' }, { secret, query });
  product.sms.behave(number, 'sends');
  expect(await outgoing.tellDelayed({ at: after(new Date(), minute) })).toEqual([1]);
  expect(product.sentMessages.filter(({ id }) => id === message.messageId)).toEqual([]);
  expect(await message.moves()).toEqual(['queued', 'sent']);
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
  const events = (await readEvents(product, admin.organizationId)).filter(
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

test.each(['', ' '])(
  'The status of a message is in `SmsStatus` beside %j as MessageStatus',
  async (MessageStatus) => {
    const { sid, read } = await sentMessage();
    await arrange(report({ MessageSid: sid, MessageStatus, SmsStatus: 'delivered' }, { secret, as: 'JSON' }));
    expect((await read()).status).toBe('delivered');
  },
);

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

test('The status of a message comes 100 times at once: the message moves once', async () => {
  const { sid, query, read, moves } = await sentMessage();
  const statuses = ['sent', 'delivered', 'delivered', 'undelivered', 'queued'];
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      report(
        { MessageSid: sid, MessageStatus: statuses[index % statuses.length] ?? '', ErrorCode: '30003' },
        { secret, as: 'JSON', query: index % 2 === 0 ? query : {} },
      ),
    ),
  );
  expect(countStatuses(responses)).toEqual({ 200: 100 });
  const { status } = await read();
  expect(['delivered', 'undelivered']).toContain(status);
  expect(await moves()).toEqual(['queued', 'sent', status]);
  expect(responses.filter(({ body }) => !body.data.duplicate)).toHaveLength(1);
});

test('The events of a message’s status come in order, even for those who resume, when reports come in the same millisecond', async () => {
  const at = new Date();
  for (let count = 0; count < 4; count += 1) {
    const { sid, moves } = await sentMessage();
    await report({ MessageSid: sid, MessageStatus: 'delivered' }, { secret, at });
    await report({ MessageSid: sid, MessageStatus: 'read' }, { secret, at });
    expect((await moves()).slice(-2)).toEqual(['delivered', 'read']);
  }
});

test('The event of a message’s status comes after that of the message itself, even when the clock of the sender is behind', async () => {
  const ids = await newConversation(tenants);
  await outgoing.tellAll(rep, after(new Date(), -2 * second));
  const events = (await readEvents(product, admin.organizationId)).filter(
    ({ data }) => data.messageId === ids.messageId,
  );
  expect(events.map(({ event }) => event)).toEqual(['message_created', 'message_updated']);
});

test('The events of a message’s status come in order, even for those who resume, when reports come to processes whose clocks are hours apart', async () => {
  const { sid, messageId, moves } = await sentMessage();
  const now = new Date();
  await report({ MessageSid: sid, MessageStatus: 'delivered' }, { secret, at: after(now, 2 * hour) });
  await report({ MessageSid: sid, MessageStatus: 'read' }, { secret, at: now });
  expect((await moves()).slice(-2)).toEqual(['delivered', 'read']);
  const told = (await readEvents(product, admin.organizationId)).filter(
    ({ data }) => data.messageId === messageId,
  );
  expect(told.map(({ at }) => at)).toEqual(told.map(({ at }) => at).toSorted());
});

test('The status of a message that the table cannot take is deferred, and recorded once it can', async () => {
  const { sid, query, read } = await sentMessage();
  faults.always('TransactWriteItemsCommand', timedOut);
  const response = await report(delivered(sid), { secret, query });
  expect([response.status, response.body]).toEqual([200, emptyResponse]);
  faults.clear();
  const deferred = product.queues.deferredRequests.take();
  expect(deferred).toMatchObject([{ group: sid }]);
  await deliverDeferred(
    { ...product.providers, objects: await product.objects.provider('downloads') },
    deferred.map(({ body }) => body),
  );
  expect((await read()).status).toBe('delivered');
});

test('The status of a message is understood until its contact is deleted', async () => {
  const { sid, contactId } = await sentMessage();
  await contactsClient(product, rep).remove(contactId);
  expect((await report(delivered(sid), { secret, as: 'JSON' })).body.data.messageId).toBeNull();
});
