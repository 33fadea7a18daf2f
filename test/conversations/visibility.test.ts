import { expect, test } from 'vitest';
import { eventFor, knownSubscriber } from '../../functions/live/model/audience.ts';
import { readUsers } from '../../shared/organizations/visibility.ts';
import { callsClient } from '../calls/client.ts';
import { contactsClient } from '../contacts/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { conversationsClient } from './client.ts';

const { product, admin, head, rep, otherRep, otherHead, foreignAdmin, foreignHead, foreignRep, newContact } =
  await setUpTenants();
const webhook = await newWebhookClient(product, admin, rep);

const clientOf = (person: Person) => conversationsClient(product, person);

/** Whether somebody sees a conversation, through each operation; the test fails unless all agree. */
async function seenBy(person: Person, { conversationId, contactId, messageId }: Ids): Promise<boolean> {
  const own = clientOf(person);
  const [read, messages, listed, listedByContact, written] = [
    await own.read(conversationId),
    await own.messages(conversationId),
    await own.ids(),
    await own.ids({ contactId }),
    await own.send({ contactId, conversationId, content: 'Hello' }),
  ];
  const doors = {
    read: read.status === 200,
    messages: messages.status === 200 && JSON.stringify(messages.body).includes(messageId),
    listed: listed.includes(conversationId),
    listedByContact: listedByContact.includes(conversationId),
    written: written.status === 201,
  };
  const open = Object.values(doors).filter(Boolean).length;
  expect({ role: person.role, doors, open: [0, 5].includes(open) }).toMatchObject({ open: true });
  return open > 0;
}

interface Ids {
  conversationId: string;
  contactId: string;
  messageId: string;
}

/** The people who see it. */
async function audienceOf(ids: Ids): Promise<string[]> {
  const people = { admin, head, rep, otherRep, otherHead, foreignAdmin, foreignHead, foreignRep };
  const seers: string[] = [];
  for (const [name, person] of Object.entries(people)) {
    if (await seenBy(person, ids)) {
      seers.push(name);
    }
  }
  return seers;
}

/** A message to the number of `rep` from a contact with these people. */
async function received(contact: Record<string, unknown> = {}): Promise<Ids> {
  const from = newPhoneNumber();
  await newContact({ phoneNumbers: [{ value: from }], ...contact });
  return expectStatus(await webhook.text({ From: from }), 200).data;
}

test('A conversation and its messages are seen by whoever sees the contact, through every door', async () => {
  expect(await audienceOf(await received())).toEqual(['admin', 'head', 'rep']);
});

test('A conversation and its messages are seen by the new people of a contact that is reassigned, in place of the old', async () => {
  const body = { firstName: 'Moving', phoneNumbers: [{ value: newPhoneNumber() }] };
  const { _id } = expectStatus(await contactsClient(product, admin).create(body), 201).data;
  const number = body.phoneNumbers[0]?.value ?? '';
  // Nobody in particular reads this number, so that the conversation itself is given to nobody else.
  const webhook = await newWebhookClient(product, admin, admin);
  const ids = expectStatus(await webhook.text({ From: number }), 200).data;
  expect(await audienceOf(ids)).toEqual(['admin']);

  const give = (to: Person) => contactsClient(product, admin).update(_id, { owner: to.userId });
  expectStatus(await give(rep), 200);
  expect(await audienceOf(ids)).toEqual(['admin', 'head', 'rep']);
  expectStatus(await give(otherRep), 200);
  expect(await audienceOf(ids)).toEqual(['admin', 'otherRep']);
  expectStatus(await contactsClient(product, admin).update(_id, { owner: null }), 200);
  expect(await audienceOf(ids)).toEqual(['admin']);
  expectStatus(await contactsClient(product, admin).update(_id, { assignees: [rep.userId] }), 200);
  expect(await audienceOf(ids)).toEqual(['admin', 'head', 'rep']);
});

test('A conversation and its messages are seen by the new owner of a contact, in place of the former one whose conversation it was', async () => {
  const contacts = contactsClient(product, admin);
  const from = newPhoneNumber();
  const { _id } = await contacts.created({ firstName: 'Moving', phoneNumbers: [{ value: from }] });
  expectStatus(await contacts.update(_id, { owner: rep.userId }), 200);
  const ids = expectStatus(await webhook.text({ From: from }), 200).data;
  const call = await callsClient(product, rep).answered(from);
  const ownersOf = async () =>
    expectStatus(await clientOf(admin).list({ contactId: _id }), 200).data.map(
      ({ userId }: { userId: string | null }) => userId,
    );
  expect(await ownersOf()).toEqual([rep.userId, rep.userId]);
  expectStatus(await clientOf(admin).update(ids.conversationId, { assignees: [head.userId] }), 200);

  expectStatus(await contacts.update(_id, { owner: otherRep.userId }), 200);
  expect(await ownersOf()).toEqual([otherRep.userId, otherRep.userId]);
  const next = expectStatus(await webhook.text({ From: from, Body: 'Are you still there?' }), 200).data;
  expect(next.conversationId).toBe(ids.conversationId);
  expect(await audienceOf(next)).toEqual(['admin', 'head', 'otherRep']);
  expect((await clientOf(rep).read(call.conversationId)).status).toBe(404);
  expectStatus(await contacts.update(_id, { owner: null }), 200);
  expect(await ownersOf()).toEqual([null, null]);
  expect(await audienceOf(next)).toEqual(['admin', 'head']);
});

test('A conversation and its messages are seen by somebody else it was handed to, whoever owns its contact', async () => {
  const ids = await received();
  expectStatus(await clientOf(admin).update(ids.conversationId, { userId: otherHead.userId }), 200);
  expectStatus(await contactsClient(product, admin).update(ids.contactId, { owner: otherRep.userId }), 200);
  expect(await audienceOf(ids)).toEqual(['admin', 'head', 'rep', 'otherRep', 'otherHead']);
});

test('A conversation and its messages are seen by the user it belongs to, and its assignees, as long as they are', async () => {
  const ids = await received();
  const give = async (body: Record<string, unknown>) =>
    expectStatus(await clientOf(admin).update(ids.conversationId, body), 200);
  await give({ assignees: [otherRep.userId] });
  expect(await audienceOf(ids)).toEqual(['admin', 'head', 'rep', 'otherRep']);
  await give({ assignees: [], userId: otherHead.userId });
  expect(await audienceOf(ids)).toEqual(['admin', 'head', 'rep', 'otherHead']);
  await give({ userId: null });
  expect(await audienceOf(ids)).toEqual(['admin', 'head', 'rep']);
});

test('A conversation and its messages are seen by nobody once the contact is deleted', async () => {
  const ids = await received();
  expectStatus(await contactsClient(product, rep).remove(ids.contactId), 200);
  expect(await audienceOf(ids)).toEqual([]);
});

/** The events about a contact that somebody's sockets are told. */
async function toldTo({ userId, organizationId }: Person, contactId: string): Promise<string[]> {
  const users = await readUsers(product.tableOf(organizationId).table);
  const subscriber = knownSubscriber(userId, users);
  const events = await readEvents(product, organizationId);
  return events
    .filter(({ data }) => data.contactId === contactId)
    .flatMap((event) => (subscriber && eventFor(subscriber, event)) ?? [])
    .map(({ event }) => event);
}

test('`message_created` goes to those who see the conversation, whether the message comes in or goes out', async () => {
  const { contactId } = await received();
  expectStatus(await clientOf(rep).send({ contactId, content: 'Hello' }), 201);
  for (const person of [rep, head, admin]) {
    expect(await toldTo(person, contactId)).toEqual([
      'contact_created',
      'message_created',
      'message_created',
    ]);
  }
  for (const person of [otherRep, otherHead, foreignAdmin, foreignRep]) {
    expect(await toldTo(person, contactId)).toEqual([]);
  }
});

test('`message_created` goes to an assignee who does not see the contact', async () => {
  const { contactId, conversationId } = await received();
  expectStatus(await clientOf(rep).update(conversationId, { assignees: [otherRep.userId] }), 200);
  expectStatus(await clientOf(rep).send({ contactId, content: 'One' }), 201);
  expectStatus(await clientOf(rep).update(conversationId, { assignees: [] }), 200);
  expectStatus(await clientOf(rep).send({ contactId, content: 'Two' }), 201);
  expect(await toldTo(otherRep, contactId)).toEqual([
    'contact_updated',
    'message_created',
    'contact_removed',
  ]);
});

test('`message_created` no longer goes to the former owner of a contact that is reassigned', async () => {
  const { _id, phoneNumbers } = await contactsClient(product, admin).created({
    firstName: 'Moving',
    phoneNumbers: [{ value: newPhoneNumber() }],
    owner: rep.userId,
  });
  const From = phoneNumbers[0]?.value;
  expectStatus(await webhook.text({ From, Body: 'One' }), 200);
  expectStatus(await contactsClient(product, admin).update(_id, { owner: otherRep.userId }), 200);
  expectStatus(await webhook.text({ From, Body: 'Two' }), 200);
  expect(await toldTo(rep, _id)).toEqual(['contact_created', 'message_created', 'contact_removed']);
  expect(await toldTo(otherRep, _id)).toEqual(['contact_updated', 'message_created']);
});
