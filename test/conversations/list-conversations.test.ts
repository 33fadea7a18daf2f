import { expect, test } from 'vitest';
import { minute, after as plus } from '../../shared/kernel/time.ts';
import { callsClient } from '../calls/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { conversationKeys, conversationsClient, newConversation } from './client.ts';

const tenants = await setUpTenants();
const { product, rep, foreignAdmin, newContact } = tenants;

const clientOf = (person: Person) => conversationsClient(product, person);

test('The list of conversations is `{success: true, data: [Conversation], nextCursor}` with exactly the fields of a conversation', async () => {
  const { conversationId } = await newConversation(tenants);
  const { status, body } = await clientOf(rep).list();
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['success', 'data', 'nextCursor']);
  const { data } = (await clientOf(rep).read(conversationId)).body;
  expect(body.data[0]).toEqual(data);
  expect(Object.keys(body.data[0])).toEqual(conversationKeys);
});

test('The list of conversations has the one with the newest message first, page by page, for everybody who sees them', async () => {
  const admin = await product.newOrganization();
  const webhook = await newWebhookClient(product, admin, admin);
  const start = new Date();
  const numbers = Array.from({ length: 7 }, newPhoneNumber);
  const text = async (from: string, minutes: number) =>
    expectStatus(await webhook.text({ From: from }, { at: plus(start, minutes * minute) }), 200).data;
  const ids: string[] = [];
  for (const [index, from] of numbers.entries()) {
    ids.unshift((await text(from, index)).conversationId);
  }
  // A new message brings its conversation to the top.
  const { conversationId } = await text(numbers[2] ?? '', 10);
  const expected = [conversationId, ...ids.filter((id) => id !== conversationId)];
  expect(await clientOf(admin).ids()).toEqual(expected);
  expect(await clientOf(admin).ids({ limit: '3' })).toEqual(expected);
  expect(await clientOf(admin).ids({ limit: '1', assignee: admin.userId })).toEqual([]);
  const { body } = await clientOf(admin).list({ limit: '3' });
  expect(body.data).toHaveLength(3);
  const next = await clientOf(admin).list({ limit: '4', cursor: body.nextCursor });
  expect(next.body.data).toHaveLength(4);
  expect(next.body.nextCursor).toBeNull();
});

test('The list of conversations is filtered by channel and by whether it is resolved', async () => {
  const admin = await product.newOrganization();
  const webhook = await newWebhookClient(product, admin, admin);
  const own = clientOf(admin);
  const [open, resolved] = [
    expectStatus(await webhook.text({ From: newPhoneNumber() }), 200).data.conversationId,
    expectStatus(await webhook.text({ From: newPhoneNumber() }), 200).data.conversationId,
  ];
  expectStatus(await own.update(resolved, { isResolved: true }), 200);
  const { conversationId: voice } = await callsClient(product, admin).answered();
  expect(await own.ids({ isResolved: 'true' })).toEqual([resolved]);
  expect((await own.ids({ isResolved: 'false' })).sort()).toEqual([open, voice].sort());
  expect((await own.ids({ channel: 'sms' })).sort()).toEqual([open, resolved].sort());
  expect(await own.ids({ channel: 'voice' })).toEqual([voice]);
  expect(await own.ids({ channel: 'email' })).toEqual([]);
  expect(await own.ids({ channel: 'sms', isResolved: 'false' })).toEqual([open]);
});

test('The list of conversations of one contact has its conversations alone, newest message first, page by page', async () => {
  const from = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: from }] });
  const { conversationId: voice } = await callsClient(product, rep).answered(from);
  const own = clientOf(rep);
  expect(await own.ids({ contactId })).toEqual([voice]);
  const later = plus(new Date(), minute);
  const { conversationId } = expectStatus(await own.send({ contactId, content: 'Hi' }, later), 201).data;
  expect(await own.ids({ contactId })).toEqual([conversationId, voice]);
  expect(await own.ids({ contactId, limit: '1' })).toEqual([conversationId, voice]);
  expect(await own.ids({ contactId, channel: 'sms' })).toEqual([conversationId]);
  expect(await own.ids({ contactId, isResolved: 'true' })).toEqual([]);
  expect(await own.ids({ contactId, assignee: rep.userId })).toEqual([]);
});

test.each<[Record<string, string>, string]>([
  [{ channel: 'fax' }, 'channel must be one of sms, voice, email, webchat'],
  [{ isResolved: 'yes' }, 'isResolved must be true or false'],
  [{ cursor: 'nonsense', contactId: 'x' }, 'cursor must be a nextCursor of this list'],
])('The list of conversations asked with %j is 400 `{success: false, message}`', async (query, message) => {
  expect(outcome(await clientOf(rep).list(query))).toEqual(failure(400, message));
});

const webhook = await newWebhookClient(product, tenants.admin, rep);

test('Conversations by assignee are those assigned to the user, as far as the caller sees them', async () => {
  const { admin, head, rep, otherRep, otherHead } = tenants;
  const { conversationId } = expectStatus(await webhook.text({ From: newPhoneNumber() }), 200).data;
  const assignees = [otherRep.userId, head.userId];
  expectStatus(await clientOf(rep).update(conversationId, { assignees }), 200);
  const seenBy = async (person: Person, assignee: Person) =>
    (await clientOf(person).ids({ assignee: assignee.userId })).includes(conversationId);
  for (const person of [admin, head, rep, otherRep]) {
    expect(await seenBy(person, otherRep)).toBe(true);
    expect(await seenBy(person, rep)).toBe(false);
  }
  expect(await seenBy(head, head)).toBe(true);
  expect(await seenBy(otherHead, otherRep)).toBe(false);
  expect(await seenBy(foreignAdmin, otherRep)).toBe(false);
});

test('A department of more than 25 shows its head the conversations of all members, and of nobody else', async () => {
  const admin = await product.newOrganization();
  const department = expectStatus(
    await product.call('create-department', { token: admin.token, body: { name: 'Large' } }),
    201,
  ).data._id;
  const departmentIds = [department];
  const head = await product.newColleague(admin, 'DEPARTMENT_HEAD', { departmentIds });
  const members: Person[] = [];
  for (let count = 0; count < 26; count += 1) {
    members.push(await product.newColleague(admin, 'SALES_REP', { departmentIds }));
  }
  const outsider = await product.newColleague(admin, 'SALES_REP');
  const texted = async (person: Person) => {
    const webhook = await newWebhookClient(product, admin, person);
    return expectStatus(await webhook.text({ From: newPhoneNumber() }), 200).data.conversationId as string;
  };
  const [first, last] = [await texted(members[0] ?? head), await texted(members[25] ?? head)];
  const foreign = await texted(outsider);
  expect((await clientOf(head).ids()).sort()).toEqual([first, last].sort());
  expect(await clientOf(head).ids({ limit: '1' })).toHaveLength(2);
  // What is assigned to a member is seen, whoever else it belongs to.
  expectStatus(await clientOf(admin).update(foreign, { assignees: [members[3]?.userId] }), 200);
  expect((await clientOf(head).ids()).sort()).toEqual([first, foreign, last].sort());
  expectStatus(await clientOf(admin).update(foreign, { assignees: [] }), 200);
  expect((await clientOf(head).ids()).sort()).toEqual([first, last].sort());
});
