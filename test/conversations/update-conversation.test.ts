import { expect, test } from 'vitest';
import { minute, after as plus } from '../../shared/kernel/time.ts';
import { contactsClient } from '../contacts/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';
import { conversationsClient, newConversation } from './client.ts';

const tenants = await setUpTenants();
const { product, admin, head, rep, otherRep, otherHead } = tenants;

const clientOf = (person: Person) => conversationsClient(product, person);
const lastEvent = async (contactId: string) =>
  (await readEvents(product, admin.organizationId)).filter(({ data }) => data.contactId === contactId).at(-1);

test('A conversation is resolved and opened: `{success: true, message, data: Conversation}`', async () => {
  const { conversationId } = await newConversation(tenants);
  const before = (await clientOf(rep).read(conversationId)).body.data;
  const at = plus(new Date(), minute);
  for (const isResolved of [true, false]) {
    const { status, body } = await clientOf(rep).update(conversationId, { isResolved }, at);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      message: 'Conversation updated',
      data: { ...before, isResolved, updatedAt: at.toISOString() },
    });
    expect((await clientOf(rep).read(conversationId)).body.data).toEqual(body.data);
  }
});

test('A conversation stays as it is, updatedAt too, when an update says nothing new', async () => {
  const { conversationId, contactId } = await newConversation(tenants);
  const { data } = (await clientOf(rep).read(conversationId)).body;
  const event = await lastEvent(contactId);
  for (const body of [{}, { isResolved: false, assignees: [], userId: data.userId }, { lastMessage: 'x' }]) {
    const response = await clientOf(rep).update(conversationId, body, plus(new Date(), minute));
    expect(response.body).toEqual({ success: true, message: 'No changes', data });
  }
  expect(await lastEvent(contactId)).toEqual(event);
});

test('A conversation is assigned to users, each once, who see it from then on without seeing the contact', async () => {
  const { contactId, conversationId } = await newConversation(tenants);
  expect((await clientOf(otherRep).read(conversationId)).status).toBe(404);
  const assignees = [otherRep.userId, otherRep.userId];
  const { data } = expectStatus(await clientOf(rep).update(conversationId, { assignees }), 200);
  expect(data.assignees).toEqual([otherRep.userId]);
  expect((await clientOf(otherRep).read(conversationId)).body.data).toEqual(data);
  expect((await clientOf(otherRep).messages(conversationId)).status).toBe(200);
  expect(await clientOf(otherRep).ids()).toContain(conversationId);
  expect((await contactsClient(product, otherRep).read(contactId)).status).toBe(404);
  // And may answer it.
  expectStatus(await clientOf(otherRep).send({ contactId, content: 'May I help?' }), 201);

  expectStatus(await clientOf(rep).update(conversationId, { assignees: [] }), 200);
  expect((await clientOf(otherRep).read(conversationId)).status).toBe(404);
  expect(await clientOf(otherRep).ids()).not.toContain(conversationId);
  expect((await clientOf(otherRep).send({ contactId, content: 'Hello?' })).status).toBe(404);
});

test('A conversation files its contact on the board under its assignees', async () => {
  const { contactId, conversationId } = await newConversation(tenants);
  const contacts = contactsClient(product, rep);
  const boardOf = async ({ userId }: Person) =>
    (await contacts.everything({ assignee: [userId] })).map(({ _id }) => _id);
  expectStatus(await clientOf(rep).update(conversationId, { assignees: [otherRep.userId] }), 200);
  expect(await boardOf(otherRep)).toContain(contactId);
  expectStatus(await clientOf(rep).update(conversationId, { assignees: [rep.userId] }), 200);
  expect(await boardOf(otherRep)).not.toContain(contactId);
  expect(await boardOf(rep)).toContain(contactId);
});

test('A change of a conversation is a `contact_updated` for those who see it or saw it: with ids alone, and without the stage of the contact', async () => {
  const { contactId, conversationId } = await newConversation(tenants);
  expectStatus(await clientOf(rep).update(conversationId, { assignees: [otherRep.userId] }), 200);
  expect(await lastEvent(contactId)).toMatchObject({
    event: 'contact_updated',
    audience: { kind: 'record', people: [rep.userId, otherRep.userId], formerly: [rep.userId] },
  });
  expect((await lastEvent(contactId))?.data).toEqual({ contactId, conversationId });
});

test.each([
  [{ isResolved: 'yes' }, 'isResolved must be true or false'],
  [{ assignees: 'me' }, 'assignees must be an array'],
  [{ assignees: Array(6).fill('x') }, 'assignees must have at most 5 items'],
  [{ userId: 7 }, 'userId must be a string'],
])('A conversation cannot be changed by %j: 400 `{success: false, message}`', async (change, message) => {
  const { conversationId } = await newConversation(tenants);
  const before = (await clientOf(rep).read(conversationId)).body;
  expect(outcome(await clientOf(rep).update(conversationId, change))).toEqual(failure(400, message));
  expect((await clientOf(rep).read(conversationId)).body).toEqual(before);
});

test('A conversation has five assignees at most, all of whom see it', async () => {
  const { conversationId } = await newConversation(tenants);
  const five = [admin, head, rep, otherRep, otherHead];
  const assignees = five.map(({ userId }) => userId);
  expectStatus(await clientOf(rep).update(conversationId, { assignees }), 200);
  for (const person of five) {
    expect((await clientOf(person).read(conversationId)).body.data.assignees).toEqual(assignees);
    expect(await clientOf(person).ids()).toContain(conversationId);
  }
});

test('A conversation changed by ten at once loses no change', async () => {
  const { conversationId } = await newConversation(tenants);
  const responses = await Promise.all([
    clientOf(rep).update(conversationId, { isResolved: true }),
    clientOf(rep).update(conversationId, { assignees: [otherRep.userId] }),
    clientOf(rep).update(conversationId, { userId: head.userId }),
    ...Array.from({ length: 7 }, () => clientOf(rep).update(conversationId, { isResolved: true })),
  ]);
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  expect((await clientOf(rep).read(conversationId)).body.data).toMatchObject({
    isResolved: true,
    assignees: [otherRep.userId],
    userId: head.userId,
  });
});
