import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contactsClient, eventsOf } from '../contacts/client.ts';
import { conversationKeys, messageKeys } from '../conversations/client.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { emptyResponse, newSid, newWebhookClient, type WebhookClient } from './webhook-client.ts';

let world: World;
let webhook: WebhookClient;
beforeAll(async () => {
  world = await startWorld();
  webhook = await newWebhookClient(world.product, world.admin, world.rep);
});
afterAll(() => world.product.stop());

const read = async (name: string, id: string, { token }: Person = world.rep) =>
  expectStatus(await world.product.call(name, { token, path: { id } }), 200).data;
const contact = (id: string, person?: Person) => read('read-contact', id, person);
const conversation = (id: string) => read('read-conversation', id);
const messages = (id: string) => read('list-messages', id);

describe('A text message as JSON', () => {
  it('answers 200 `{success, message, data: {messageId, conversationId, contactId, duplicate}}`', async () => {
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

  it('of an unknown sender makes a contact of the user whose number it is, in the first stage', async () => {
    const from = newPhoneNumber();
    const at = new Date();
    const { data } = expectStatus(await webhook.text({ From: from }, { at }), 200);
    expect(await contact(data.contactId)).toMatchObject({
      firstName: 'Unknown Sender',
      lastName: '',
      source: 'Incoming SMS',
      phoneNumbers: [{ value: from, label: '', isPrimary: true }],
      stage: 'New',
      createdBy: world.rep.userId,
      owner: world.rep.userId,
      lastMessageAt: at.toISOString(),
      lastMessageDirection: 'inbound',
      createdAt: at.toISOString(),
    });
  });

  it('of an unknown sender is not lost without an active Contact pipeline: the oldest takes the contact', async () => {
    const { product } = world;
    const admin = await product.newOrganization();
    const own = await newWebhookClient(product, admin, admin);
    const pipelines = pipelinesClient(product, admin);
    const [oldest] = await pipelines.list('Contact');
    const newer = await pipelines.created({ name: 'Newer', stages: ['Elsewhere'] });
    expectStatus(await pipelines.update(oldest?._id ?? '', { isActive: false }), 200);
    const placeOfNext = async () => {
      const { data } = expectStatus(await own.text({ From: newPhoneNumber() }), 200);
      const { pipelineId, stage } = await contact(data.contactId, admin);
      return { pipelineId, stage };
    };
    expect(await placeOfNext()).toEqual({ pipelineId: oldest?._id, stage: 'New' });
    expectStatus(await pipelines.update(newer._id, { isActive: true }), 200);
    expect(await placeOfNext()).toEqual({ pipelineId: newer._id, stage: 'Elsewhere' });
  });

  it('to the number of a user who is disabled belongs to nobody, and to the user again who is back', async () => {
    const { product, admin } = world;
    const owner = await product.newColleague(admin);
    const own = await newWebhookClient(product, admin, owner);
    const setDisabled = async (disabled: boolean) => {
      const path = { id: owner.userId };
      const answer = await product.call('update-user', { token: admin.token, path, body: { disabled } });
      expectStatus(answer, 200);
    };
    const known = newPhoneNumber();
    const { _id } = await world.newContact({ phoneNumbers: [{ value: known }] });
    const ownersOfNext = async (From = newPhoneNumber()) => {
      const { contactId, conversationId } = expectStatus(await own.text({ From }), 200).data;
      const { userId } = await read('read-conversation', conversationId, admin);
      return { contactId, owner: (await contact(contactId, admin)).owner, userId };
    };
    await setDisabled(true);
    expect(await ownersOfNext()).toMatchObject({ owner: null, userId: null });
    expect(await ownersOfNext(known)).toEqual({ contactId: _id, owner: world.rep.userId, userId: null });
    await setDisabled(false);
    expect(await ownersOfNext()).toMatchObject({ owner: owner.userId, userId: owner.userId });
  });

  it('is stored in the SMS conversation, with exactly the fields of conversations and messages', async () => {
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
      organizationId: world.admin.organizationId,
      userId: world.rep.userId,
      assignees: [],
      channel: 'sms',
      lastMessage: 'Grüße 👋\n',
      lastMessageAt: time,
      messageCount: 1,
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
      createdAt: time,
    });
  });

  it('of a contact that is there is filed with it, and opens its conversation again', async () => {
    const from = newPhoneNumber();
    const { _id } = await world.newContact({ phoneNumbers: [{ value: from }] });
    const first = expectStatus(await webhook.text({ From: from, Body: 'One' }), 200).data;
    expect(first.contactId).toBe(_id);
    await world.product.call('update-conversation', {
      token: world.rep.token,
      path: { id: first.conversationId },
      body: { isResolved: true },
    });
    expect((await conversation(first.conversationId)).isResolved).toBe(true);
    const second = expectStatus(await webhook.text({ From: from, Body: 'Two' }), 200).data;
    expect(second).toMatchObject({ contactId: _id, conversationId: first.conversationId });
    expect(await conversation(first.conversationId)).toMatchObject({
      isResolved: false,
      lastMessage: 'Two',
      messageCount: 2,
    });
    expect((await messages(first.conversationId)).map(({ content }: { content: string }) => content)).toEqual(
      ['Two', 'One'],
    );
  });

  it('is told as `message_created`, and a new contact as `contact_created` before', async () => {
    const from = newPhoneNumber();
    const { data } = expectStatus(await webhook.text({ From: from }), 200);
    await webhook.text({ From: from });
    const events = (await eventsOf(world.product, world.admin.organizationId)).filter(
      ({ data: { contactId } }) => contactId === data.contactId,
    );
    expect(events.map(({ event }) => event)).toEqual([
      'contact_created',
      'message_created',
      'message_created',
    ]);
    const [message] = await messages(data.conversationId).then((all) => all.slice(-1));
    const { duplicate: _, ...ids } = data;
    expect(events[1]?.data).toEqual({ ...ids, message });
  });

  it('puts its contact on the board as unanswered', async () => {
    const { data } = expectStatus(await webhook.text({ From: newPhoneNumber() }), 200);
    const contacts = contactsClient(world.product, world.rep);
    const unanswered = await contacts.everything({ messageStatus: 'unanswered' });
    expect(unanswered.map(({ _id }) => _id)).toContain(data.contactId);
  });

  it.each([
    ['the name of the provider', { provider: 'twilio' }],
    ['any other name', { provider: 'another-provider' }],
  ])('may be told of under %s in the path', async (_, more) => {
    expect((await webhook.text({ From: newPhoneNumber() }, more)).status).toBe(200);
  });

  it('is found in any spelling of its numbers', async () => {
    const from = newPhoneNumber();
    const { _id } = await world.newContact({ phoneNumbers: [{ value: from }] });
    const spelled = {
      From: from.replace('+', '00').replace(/(\d{5})/, '$1 '),
      To: ` ${webhook.phoneNumber} `,
    };
    expect(expectStatus(await webhook.text(spelled), 200).data.contactId).toBe(_id);
  });

  it('may come from Twilio, with all that Twilio tells beside', async () => {
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

  it('to a number that is nobody’s is 404 `{success: false, message}`', async () => {
    const { status, body } = await webhook.text({ From: newPhoneNumber(), To: newPhoneNumber() });
    expect({ status, body }).toEqual({
      status: 404,
      body: { success: false, message: 'Phone number not found' },
    });
  });

  it('to a number that takes no calls is stored all the same', async () => {
    const silent = await newWebhookClient(world.product, world.admin, world.rep, { isInboundEnabled: false });
    expect((await silent.text({ From: newPhoneNumber() })).status).toBe(200);
  });

  it('is stored in the organization of its number alone, even from a contact of two', async () => {
    const other = await newWebhookClient(world.product, world.foreigner, world.foreignRep);
    const from = newPhoneNumber();
    const { data: own } = expectStatus(await webhook.text({ From: from }), 200);
    const { data: foreign } = expectStatus(await other.text({ From: from }), 200);
    expect(foreign.contactId).not.toBe(own.contactId);
    expect((await contact(foreign.contactId, world.foreignRep)).organizationId).toBe(
      world.foreigner.organizationId,
    );
    expect(await messages(own.conversationId)).toHaveLength(1);
  });
});

describe('A text message as a form', () => {
  it('answers 200 with an empty XML `Response`', async () => {
    const { status, body, headers } = await webhook.textAsForm({ From: newPhoneNumber() });
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/xml\b/);
    expect(body).toBe(emptyResponse);
  });

  it('is stored like one of JSON', async () => {
    const from = newPhoneNumber();
    const { _id: contactId } = await world.newContact({ phoneNumbers: [{ value: from }] });
    await webhook.textAsForm({ From: from, Body: '1 + 1 = 2 & 👋', NumMedia: '0' });
    const { token } = world.rep;
    const { data } = (await world.product.call('list-conversations', { token, query: { contactId } })).body;
    expect(data).toMatchObject([{ contactId, channel: 'sms', lastMessage: '1 + 1 = 2 & 👋' }]);
  });

  it('that cannot be taken is refused in JSON', async () => {
    const { status, body } = await webhook.textAsForm({ From: 'nobody' });
    expect({ status, body }).toEqual({
      status: 400,
      body: { success: false, message: 'From must be an E.164 phone number, like +15551234567' },
    });
  });
});
