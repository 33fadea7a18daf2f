import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { phoneOf } from '../calls/phone.ts';
import { deskOf, eventsOf } from '../contacts/desk.ts';
import { inboxOf, messageKeys } from '../conversations/conversations.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { type Outgoing, outgoingOf } from './outgoing.ts';
import { newLine } from './phones.ts';

let world: World;
let outgoing: Outgoing;
beforeAll(async () => {
  world = await startWorld();
  outgoing = await outgoingOf(world.product);
});
afterAll(() => world.product.stop());

const inbox = (person: Person = world.rep) => inboxOf(world.product, person);

/** What the provider was given for a message. */
async function sent(messageId: string) {
  await outgoing.tellAll(world.admin);
  return world.product.sentMessages.filter(({ id }) => id === messageId);
}

describe('A message that is sent', () => {
  it('answers 201 `{success: true, message, data: Message}`, queued, with exactly the fields of a message', async () => {
    const { _id: contactId } = await world.newContact();
    const at = new Date();
    const { status, body } = await inbox().send({ contactId, content: 'Grüße 👋\n' }, at);
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
        sentBy: world.rep.userId,
        providerMessageId: null,
        createdAt: at.toISOString(),
      },
    });
    expect((await inbox().messages(body.data.conversationId)).body.data).toEqual([body.data]);
  });

  it('begins the SMS conversation of the contact, of who writes, or continues it', async () => {
    const { _id: contactId } = await world.newContact();
    const { data: first } = expectStatus(await inbox().send({ contactId, content: 'One' }), 201);
    const { data: second } = expectStatus(
      await inbox(world.head).send({ contactId, content: 'Two', conversationId: first.conversationId }),
      201,
    );
    expect(second.conversationId).toBe(first.conversationId);
    expect((await inbox().read(first.conversationId)).body.data).toMatchObject({
      contactId,
      channel: 'sms',
      userId: world.rep.userId,
      lastMessage: 'Two',
      lastMessageAt: second.createdAt,
      messageCount: 2,
      isResolved: false,
    });
  });

  it('is told as `message_created`, and marks its contact as answered', async () => {
    const { _id: contactId } = await world.newContact();
    const { data } = expectStatus(await inbox().send({ contactId, content: 'Hello' }), 201);
    const events = await eventsOf(world.product, world.admin.organizationId);
    const [event] = events.filter(
      (one) => one.event === 'message_created' && one.data.contactId === contactId,
    );
    expect(event?.data).toEqual({
      messageId: data._id,
      conversationId: data.conversationId,
      contactId,
      message: data,
    });
    expect(event?.audience).toEqual({ kind: 'record', people: [world.rep.userId] });
    const desk = deskOf(world.product, world.rep);
    expect((await desk.read(contactId)).body.data).toMatchObject({
      lastMessageAt: data.createdAt,
      lastMessageDirection: 'outbound',
    });
    const answered = await desk.everything({ messageStatus: 'answered' });
    expect(answered.map(({ _id }) => _id)).toContain(contactId);
  });

  it('leaves a resolved conversation resolved', async () => {
    const { _id: contactId } = await world.newContact();
    const { data } = expectStatus(await inbox().send({ contactId, content: 'One' }), 201);
    expectStatus(await inbox().update(data.conversationId, { isResolved: true }), 200);
    expectStatus(await inbox().send({ contactId, content: 'Two' }), 201);
    expect((await inbox().read(data.conversationId)).body.data.isResolved).toBe(true);
  });

  it('by a SUPERADMIN from elsewhere begins a conversation that is nobody’s', async () => {
    const { _id: contactId } = await world.newContact();
    const answer = await world.product.call('send-message', {
      token: world.superadmin.token,
      headers: { 'x-organization-id': world.admin.organizationId },
      body: { contactId, content: 'Hello' },
    });
    const { data } = expectStatus(answer, 201);
    expect(data.sentBy).toBe(world.superadmin.userId);
    expect((await inbox().read(data.conversationId)).body.data.userId).toBeNull();
  });
});

describe('The numbers of a message', () => {
  it('are the default one of who writes, and the primary one of the contact', async () => {
    const line = await newLine(world.product, world.admin, world.stranger);
    const [primary, other] = [newPhoneNumber(), newPhoneNumber()];
    const { _id: contactId } = await world.newContact({
      phoneNumbers: [{ value: other }, { value: primary, isPrimary: true }],
      assignees: [world.stranger.userId],
    });
    const { data } = expectStatus(await inbox(world.stranger).send({ contactId, content: 'Hello' }), 201);
    expect(await sent(data._id)).toEqual([
      { id: data._id, from: line.phoneNumber, to: primary, content: 'Hello', mediaUrls: [] },
    ]);
  });

  it('are none in particular for who has none', async () => {
    const { _id: contactId } = await world.newContact();
    const { data } = expectStatus(await inbox(world.head).send({ contactId, content: 'Hello' }), 201);
    expect(await sent(data._id)).toMatchObject([{ from: undefined }]);
  });

  it('are those of the last message that came in, for who has none', async () => {
    const line = await newLine(world.product, world.admin, world.otherHead);
    const [primary, other] = [newPhoneNumber(), newPhoneNumber()];
    const { _id: contactId } = await world.newContact({
      phoneNumbers: [{ value: primary }, { value: other }],
    });
    expectStatus(await line.text({ From: other }), 200);
    const { data } = expectStatus(await inbox(world.head).send({ contactId, content: 'Hello' }), 201);
    expect(await sent(data._id)).toMatchObject([{ from: line.phoneNumber, to: other }]);

    // A number that the contact, or the organization, has given up is used no more.
    await deskOf(world.product, world.rep).update(contactId, { phoneNumbers: [{ value: primary }] });
    await world.product.call('remove-phone-number', {
      token: world.admin.token,
      path: { organizationId: world.admin.organizationId, phoneNumber: line.phoneNumber },
    });
    await newLine(world.product, world.foreigner, world.foreignRep, { phoneNumber: line.phoneNumber });
    const { data: next } = expectStatus(await inbox(world.head).send({ contactId, content: 'Hi' }), 201);
    expect(await sent(next._id)).toMatchObject([{ from: undefined, to: primary }]);
  });
});

describe('A message that cannot be sent', () => {
  const notFound = (what: string) => ({
    status: 404,
    body: { success: false, message: `${what} not found` },
  });

  it('is one to a contact without a number: 400', async () => {
    const { _id: contactId } = await world.newContact({ phoneNumbers: [] });
    const { status, body } = await inbox().send({ contactId, content: 'Hello' });
    expect({ status, body }).toEqual({
      status: 400,
      body: { success: false, message: 'contactId must be the id of a contact with a phone number' },
    });
  });

  it('is one to a contact that is not there, or not the caller’s: 404', async () => {
    const { _id: contactId } = await world.newContact();
    for (const [person, id] of [
      [world.rep, '01JZZZZZZZZZZZZZZZZZZZZZZZ'],
      [world.stranger, contactId],
      [world.otherHead, contactId],
      [world.foreigner, contactId],
      [world.superadmin, contactId],
    ] as const) {
      const { status, body } = await inbox(person).send({ contactId: id, content: 'Hello' });
      expect({ status, body }).toEqual(notFound('Contact'));
    }
  });

  it('is one in a conversation that is not the SMS conversation of the contact: 404', async () => {
    const from = newPhoneNumber();
    const { _id: contactId } = await world.newContact({ phoneNumbers: [{ value: from }] });
    const other = await world.newContact();
    const call = await phoneOf(world.product, world.rep).answered(from);
    const elsewhere = expectStatus(await inbox().send({ contactId: other._id, content: 'Hi' }), 201);
    for (const conversationId of [
      call.conversationId,
      elsewhere.data.conversationId,
      '01JZZZZZZZZZZZZZZZZZZZZZZZ',
    ]) {
      const { status, body } = await inbox().send({ contactId, conversationId, content: 'Hello' });
      expect({ status, body }).toEqual(notFound('Conversation'));
    }
  });

  it.each<[Record<string, unknown>, string]>([
    [{}, 'content is required unless there is a templateId or an attachment'],
    [{ content: '' }, 'content is required unless there is a templateId or an attachment'],
    [{ content: ' \n\t' }, 'content is required unless there is a templateId or an attachment'],
    [{ content: 'Hi', templateId: 'x' }, 'content and templateId cannot be sent together'],
    [{ content: 7 }, 'content must be a string'],
    [{ content: null }, 'content must be a string'],
    [{ templateId: 'a b' }, 'templateId must be an identifier'],
    [{ content: 'Hi', conversationId: '#' }, 'conversationId must be an identifier'],
    [{ content: 'Hi', attachments: {} }, 'attachments must be an array'],
    [{ content: 'Hi', attachments: [{}] }, 'attachments[0].key is required; attachments[0].name is required'],
    [{ content: 'Hi', contactId: undefined }, 'contactId is required'],
    [{ content: 'Hi', contactId: '' }, 'contactId must be an identifier'],
  ])('is one like %j: 400 `{success: false, message}`', async (fields, message) => {
    const { status, body } = await inbox().send({ contactId: 'x', ...fields });
    expect({ status, body }).toEqual({ status: 400, body: { success: false, message } });
  });

  it.each([
    ['letters', 'x'],
    ['emoji', '👋'],
    ['letters with combining marks', 'e\u0301'],
  ])('is one of more than 1,600 code points, in %s', async (_, character) => {
    const { _id: contactId } = await world.newContact();
    const content = character.repeat(1_600 / [...character].length);
    expect((await inbox().send({ contactId, content })).body.data.content).toBe(content);
    const { status, body } = await inbox().send({ contactId, content: `${content}!` });
    expect({ status, body }).toEqual({
      status: 400,
      body: { success: false, message: 'content must have at most 1600 characters' },
    });
  });
});
