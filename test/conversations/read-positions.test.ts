import { expect, test } from 'vitest';
import { applicationLimit } from '../../shared/contact-aggregate/application.ts';
import { readPositionKey } from '../../shared/conversations/read-position.ts';
import { minute } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { conversationsClient, newConversation } from './client.ts';

const tenants = await setUpTenants();
const { product, admin, head, rep, otherRep, foreignAdmin } = tenants;
const webhook = await newWebhookClient(product, admin, rep);
const as = (person: Person) => conversationsClient(product, person);

/** A contact of `rep` who has written so many messages, one after the other; the ids of those. */
async function writing(count: number) {
  const number = newPhoneNumber();
  const write = async (at?: Date) =>
    (await arrange(webhook.text({ From: number }, at === undefined ? {} : { at }))).data;
  const messages: string[] = [];
  let ids = { conversationId: '', contactId: '' };
  for (let index = 0; index < count; index += 1) {
    ids = await write(new Date(Date.now() + index));
    messages.push((ids as typeof ids & { messageId: string }).messageId);
  }
  return { ...ids, messages, write };
}

/** What somebody sees of a conversation's state of reading, wherever it is shown. */
async function seenBy(
  person: Person,
  { conversationId, contactId }: { conversationId: string; contactId: string },
) {
  const read = (await arrange(as(person).read(conversationId))).data;
  const inbox = (await arrange(as(person).list({ limit: '100' }))).data;
  const ofContact = (await arrange(as(person).list({ contactId }))).data;
  const updated = (await arrange(as(person).update(conversationId, {}))).data;
  const shown = [read, updated, ...[...inbox, ...ofContact].filter(({ _id }) => _id === conversationId)];
  const states = shown.map(({ unreadCount, readUpTo }) => ({ unreadCount, readUpTo }));
  expect(states).toHaveLength(4);
  expect(new Set(states.map((state) => JSON.stringify(state))).size).toBe(1);
  return states[0];
}

test('In a conversation that nobody has read, all inbound messages are unread and no outbound one is', async () => {
  const conversation = await writing(3);
  await arrange(as(rep).send({ contactId: conversation.contactId, content: 'Hello' }));
  for (const person of [rep, head, admin]) {
    expect(await seenBy(person, conversation)).toEqual({ unreadCount: 3, readUpTo: null });
  }
});

test('Marking a conversation as read without upTo reads all of it, for the caller alone', async () => {
  const conversation = await writing(3);
  const { status, body } = await as(rep).markRead(conversation.conversationId);
  expect({ status, success: body.success, message: body.message }).toEqual({
    status: 200,
    success: true,
    message: 'Conversation marked as read',
  });
  const read = { unreadCount: 0, readUpTo: conversation.messages[2] };
  expect(body.data).toMatchObject({ _id: conversation.conversationId, ...read });
  expect(await seenBy(rep, conversation)).toEqual(read);
  expect(await seenBy(head, conversation)).toEqual({ unreadCount: 3, readUpTo: null });
  await conversation.write(new Date(Date.now() + minute));
  expect(await seenBy(rep, conversation)).toEqual({ ...read, unreadCount: 1 });
});

test('Marking a conversation as read up to a message leaves the later ones unread, and never goes back', async () => {
  const conversation = await writing(4);
  const { conversationId, messages } = conversation;
  const upTo = async (index: number) =>
    (await arrange(as(rep).markRead(conversationId, messages[index]))).message;
  expect(await upTo(1)).toBe('Conversation marked as read');
  expect(await seenBy(rep, conversation)).toEqual({ unreadCount: 2, readUpTo: messages[1] });
  for (const index of [0, 1]) {
    expect(await upTo(index)).toBe('No changes');
  }
  expect(await seenBy(rep, conversation)).toEqual({ unreadCount: 2, readUpTo: messages[1] });
  await arrange(as(rep).markRead(conversationId, null));
  expect(await seenBy(rep, conversation)).toEqual({ unreadCount: 0, readUpTo: messages[3] });
});

test('Marking a conversation as read up to an outbound message moves the position there', async () => {
  const conversation = await writing(2);
  const { contactId, conversationId } = conversation;
  const sentAt = new Date(Date.now() + minute);
  const { data } = await arrange(as(rep).send({ contactId, content: 'Hello' }, sentAt));
  await conversation.write(new Date(Date.now() + 2 * minute));
  await arrange(as(rep).markRead(conversationId, data._id));
  expect(await seenBy(rep, conversation)).toEqual({ unreadCount: 1, readUpTo: data._id });
});

test('A message that arrives late is unread although it is listed before the last one read; reading up to the last one reads it', async () => {
  const conversation = await writing(2);
  const { conversationId, messages } = conversation;
  await arrange(as(rep).markRead(conversationId, messages[0]));
  await conversation.write(new Date(Date.now() - minute));
  expect(await seenBy(rep, conversation)).toEqual({ unreadCount: 2, readUpTo: messages[0] });
  await arrange(as(rep).markRead(conversationId, messages[1]));
  expect(await seenBy(rep, conversation)).toEqual({ unreadCount: 0, readUpTo: messages[1] });
});

test('A conversation without messages has nothing unread, and marking it as read changes nothing', async () => {
  const callerNumber = newPhoneNumber();
  const { token } = rep;
  const { call } = await arrange(product.call('answer-inbound-call', { token, body: { callerNumber } }));
  const { body } = await as(rep).markRead(call.conversationId);
  expect(body).toMatchObject({ message: 'No changes', data: { unreadCount: 0, readUpTo: null } });
});

test('A message of another conversation, or none, is a 404; so is a conversation that the caller may not see', async () => {
  const [{ conversationId }, other] = [await newConversation(tenants), await newConversation(tenants)];
  for (const upTo of [other.messageId, 'nothing', other.contactId]) {
    expect(outcome(await as(rep).markRead(conversationId, upTo))).toEqual(
      failure(404, 'upTo is not the id of a message of this conversation'),
    );
  }
  for (const person of [otherRep, foreignAdmin]) {
    expect(outcome(await as(person).markRead(conversationId))).toEqual(
      failure(404, 'Conversation not found'),
    );
  }
});

test('Unread numbers are exact when messages come in and several devices mark them as read at once', async () => {
  const conversation = await writing(1);
  const { conversationId } = conversation;
  const written = Array.from({ length: 12 }, () => conversation.write());
  const read = written.map(async (message, index) => {
    const { messageId } = (await message) as unknown as { messageId: string };
    await arrange(as(rep).markRead(conversationId, index % 3 === 0 ? undefined : messageId));
  });
  await Promise.all(read);
  const state = await seenBy(rep, conversation);
  const all = (await arrange(as(rep).messages(conversationId, { limit: '100' }))).data;
  expect(all).toHaveLength(13);
  // Each device has read up to its own message at least, so the last one read everything that had arrived by then.
  expect(state?.unreadCount).toBe(0);
  expect(await seenBy(head, conversation)).toEqual({ unreadCount: 13, readUpTo: null });
});

test('The positions of a deleted contact are deleted with it, and a conversation that is gone cannot be marked as read', async () => {
  const conversation = await writing(1);
  const { contactId, conversationId } = conversation;
  const stream = await tableStream(product);
  await arrange(as(rep).markRead(conversationId));
  const positions = async () =>
    (await stream.texts()).filter((text) => text.includes(`READ#${rep.userId}#${conversationId}`));
  expect(await positions()).toHaveLength(1);
  await arrange(product.call('delete-contact', { token: rep.token, path: { id: contactId } }));
  await stream.settle();
  expect(await positions()).toEqual([]);
  expect((await as(rep).markRead(conversationId)).status).toBe(404);
});

test('An export of the contact shows what the caller has read', async () => {
  const { contactId, conversationId, messages } = await writing(2);
  await arrange(as(admin).markRead(conversationId, messages[0]));
  const path = { id: contactId };
  const { data } = await arrange(product.call('read-separation-data', { token: admin.token, path }));
  expect(data.conversations[0]).toMatchObject({ unreadCount: 1, readUpTo: messages[0] });
});

test('Whoever has read up to a message that is deleted before it is sent has read up to the one before it, whatever came after', async () => {
  const conversation = await writing(2);
  const { conversationId, contactId } = conversation;
  const remove = (id: string) => arrange(product.call('delete-message', { token: rep.token, path: { id } }));
  const write = async () => (await arrange(as(rep).send({ contactId, content: 'Hello' }))).data._id;
  const [before] = conversation.messages.slice(-1);
  const last = await write();
  await arrange(as(rep).markRead(conversationId));
  expect(await seenBy(rep, conversation)).toEqual({ unreadCount: 0, readUpTo: last });
  await remove(last);
  expect(await seenBy(rep, conversation)).toEqual({ unreadCount: 0, readUpTo: before });
  const answered = await write();
  for (const person of [rep, head]) {
    await arrange(as(person).markRead(conversationId));
  }
  const { messageId } = await conversation.write(new Date(Date.now() + minute));
  await arrange(as(admin).markRead(conversationId));
  await remove(answered);
  for (const person of [rep, head]) {
    expect(await seenBy(person, conversation)).toEqual({ unreadCount: 1, readUpTo: before });
  }
  expect(await seenBy(admin, conversation)).toEqual({ unreadCount: 0, readUpTo: messageId });
});

test('Whoever has read up to the last of several messages that are deleted before they are sent, the last one first, has read up to the one before them', async () => {
  const conversation = await writing(1);
  const { conversationId, contactId } = conversation;
  const written: string[] = [];
  for (const content of ['One', 'Two', 'Three']) {
    written.push((await arrange(as(rep).send({ contactId, content }))).data._id);
  }
  await arrange(as(rep).markRead(conversationId));
  for (const id of written.toReversed()) {
    expect(await seenBy(rep, conversation)).toEqual({ unreadCount: 0, readUpTo: id });
    await arrange(product.call('delete-message', { token: rep.token, path: { id } }));
  }
  expect(await seenBy(rep, conversation)).toEqual({ unreadCount: 0, readUpTo: conversation.messages[0] });
});

test('A user who has read nothing but a message that is deleted before it is sent has read nothing', async () => {
  const { conversationId, contactId, messageId } = await newConversation(tenants);
  await arrange(as(rep).markRead(conversationId));
  await arrange(product.call('delete-message', { token: rep.token, path: { id: messageId } }));
  expect(await seenBy(rep, { conversationId, contactId })).toEqual({ unreadCount: 0, readUpTo: null });
});

test('A message of which more users have read than one transaction can move back is deleted all the same', async () => {
  const colleagues = await Promise.all(Array.from({ length: 17 }, () => product.newColleague(admin)));
  const users = colleagues.map(({ userId }) => userId);
  const { contactId, conversationId, messageId } = await newConversation(tenants, {
    owner: users[0],
    assignees: users.slice(1, 11),
  });
  await arrange(as(admin).update(conversationId, { userId: users[11], assignees: users.slice(12) }));
  for (let count = 0; count < applicationLimit; count += 1) {
    const body = { contactId, name: `Account ${count}` };
    await arrange(product.call('create-application', { token: admin.token, body }));
  }
  const { table } = product.tableOf(admin.organizationId);
  const positions = Array.from({ length: 60 }, (_, n) => readPositionKey(`user ${n}`, conversationId));
  await table.commit(positions.map((key) => table.add(key, { readUpTo: messageId, readInbound: 0 })));
  // Whoever reads a message that is on its way changes its record, as these would have done.
  await arrange(as(admin).markRead(conversationId));
  await arrange(product.call('delete-message', { token: admin.token, path: { id: messageId } }));
  const after = await table.readMany(positions);
  expect(after.filter((position) => position?.data.readUpTo === null).length).toBeGreaterThan(30);
});
