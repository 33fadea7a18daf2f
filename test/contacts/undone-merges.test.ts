import { expect, test } from 'vitest';
import { after, day } from '../../shared/kernel/time.ts';
import type { Call } from '../harness/call.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';

const tenants = await setUpTenants();
const { product, admin, rep, otherRep } = tenants;
const stream = await tableStream(product);
const webhook = await newWebhookClient(product, admin, rep);

type Body = Record<string, unknown>;

const call = async (name: string, more: Call = {}, by: Person = rep) =>
  arrange(product.call(name, { token: by.token, ...more }));

const newContact = async (more: Body = {}) => {
  const phone = newPhoneNumber();
  const { _id: id } = await tenants.newContact({ phoneNumbers: [{ value: phone }], ...more });
  return { id, phone };
};

const text = async (From: string, Body = 'Hello') => (await arrange(webhook.text({ From, Body }))).data;
const merged = async (id: string, from: string, prefer: Body = {}): Promise<string> =>
  (await call('merge-contact', { path: { id }, body: { from, prefer } })).changeId;
const undo = (id: string, by: Person = rep, at?: Date) =>
  product.call('undo-contact-change', { token: by.token, path: { id }, at });
const contactOf = async (id: string) => (await call('read-contact', { path: { id } })).data;
const withoutTime = ({ updatedAt: _, ...contact }: Body) => contact;

test('After a merge is undone, both contacts are as they were, on the board and by their numbers, too', async () => {
  const one = await newContact({
    firstName: 'One',
    tags: ['a'],
    customFields: { x: 1 },
    externalId: 'undo-1',
  });
  const other = await newContact({
    lastName: 'Other',
    tags: ['b'],
    email: 'o@example.com',
    externalId: 'undo-2',
  });
  await text(other.phone);
  await call('create-application', { body: { contactId: other.id, name: 'Loan' } });
  const before = [withoutTime(await contactOf(one.id)), withoutTime(await contactOf(other.id))];
  const search = async (find: string) => {
    const board = (await call('list-contacts-by-stage', { body: { search: find } })).data as Record<
      string,
      { contacts: { _id: string }[] }
    >;
    return Object.values(board).flatMap(({ contacts }) => contacts.map(({ _id }) => _id));
  };
  expect(await search(other.phone)).toEqual([other.id]);
  const changeId = await merged(one.id, other.id, { lastName: 'from', externalId: 'from' });
  expect(await search(other.phone)).toEqual([one.id]);
  await stream.settle();
  expectStatus(await undo(changeId), 200);
  await stream.settle();
  expect([withoutTime(await contactOf(one.id)), withoutTime(await contactOf(other.id))]).toEqual(before);
  expect(await search(other.phone)).toEqual([other.id]);
  expect((await text(other.phone)).contactId).toBe(other.id);
  expect((await text(one.phone)).contactId).toBe(one.id);
  const { data: applications } = await call('list-applications', { query: { contactId: other.id } });
  expect(applications).toHaveLength(1);
});

test('What came in since for a number goes with it, and what was written on the contact stays', async () => {
  const [one, other] = [await newContact(), await newContact()];
  const { conversationId } = await text(other.phone, 'Before');
  await call('create-note', { body: { contactId: other.id, note: 'Before' } });
  const changeId = await merged(one.id, other.id);
  await text(other.phone, 'Since');
  await text(one.phone, 'Own');
  await call('create-note', { body: { contactId: one.id, note: 'Since' } });
  await call('update-contact', { path: { id: one.id }, body: { firstName: 'Changed' } });
  expectStatus(await undo(changeId), 200);
  const { data: messages } = await call('list-messages', { path: { id: conversationId } });
  expect(messages.map(({ content }: Body) => content)).toEqual(['Since', 'Before']);
  expect((await call('read-conversation', { path: { id: conversationId } })).data.contactId).toBe(other.id);
  const conversations = async (contactId: string) =>
    (await call('list-conversations', { query: { contactId } })).data.map(({ _id }: Body) => _id);
  expect(await conversations(other.id)).toEqual([conversationId]);
  expect(await conversations(one.id)).not.toContain(conversationId);
  const notes = async (contactId: string) =>
    (await call('list-notes', { query: { contactId } })).data.map(({ note }: Body) => note);
  expect([await notes(one.id), await notes(other.id)]).toEqual([['Since'], ['Before']]);
  expect(await contactOf(one.id)).toMatchObject({ firstName: 'Changed' });
});

test('A merge is listed for 30 days, is undone once, and cannot be undone later', async () => {
  const [one, other] = [await newContact(), await newContact()];
  const changeId = await merged(one.id, other.id);
  const changes = async (at?: Date) =>
    expectStatus(
      await product.call('list-contact-changes', { token: rep.token, query: { contactId: one.id }, at }),
      200,
    ).data;
  const change = { _id: changeId, type: 'merge', contactId: one.id, otherContactId: other.id };
  expect(await changes()).toMatchObject([{ ...change, undoneAt: null, actor: { id: rep.userId } }]);
  const responses = await Promise.all([undo(changeId), undo(changeId)]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect(await changes()).toMatchObject([{ ...change, undoneAt: expect.any(String) }]);
  expect((await undo(changeId)).body.message).toBe('No changes');

  const past = after(new Date(), -30 * day);
  const body = { from: other.id };
  const { changeId: late } = await call('merge-contact', { path: { id: one.id }, body, at: past });
  expect(await changes()).toHaveLength(1);
  expect((await undo(late)).status).toBe(404);
});

test('A merge is undone by who sees the contact and saw the other one, and by nobody else', async () => {
  const [one, other] = [await newContact(), await newContact()];
  await call('update-contact', { path: { id: other.id }, body: { assignees: [otherRep.userId] } });
  const third = await newContact();
  const changeId = await merged(third.id, one.id);
  expect((await undo(changeId, otherRep)).status).toBe(404);
  expect((await undo(changeId, tenants.foreignAdmin)).status).toBe(404);
  expect((await undo(changeId, admin)).status).toBe(200);
});

test('A merge that stands in the way of others is a conflict that names them', async () => {
  const [one, other, third] = [await newContact(), await newContact(), await newContact()];
  const changeId = await merged(one.id, other.id);
  const phoneNumbers = [{ value: one.phone }];
  await call('update-contact', { path: { id: one.id }, body: { phoneNumbers } });
  await call('update-contact', { path: { id: third.id }, body: { phoneNumbers: [{ value: other.phone }] } });
  const taken = await undo(changeId);
  expect(taken).toMatchObject({
    status: 409,
    body: { conflicts: [{ type: 'phoneNumber', id: other.phone, reason: 'taken' }] },
  });
  await merged(third.id, one.id);
  expect(await undo(changeId)).toMatchObject({
    status: 409,
    body: { conflicts: [{ type: 'contact', id: one.id, reason: 'merged' }] },
  });
});

test('A contact that is there again can be merged again, and is erased alone', async () => {
  const [one, other] = [await newContact(), await newContact()];
  expectStatus(await undo(await merged(one.id, other.id)), 200);
  expectStatus(await undo(await merged(one.id, other.id)), 200);
  await call('create-note', { body: { contactId: other.id, note: 'Kept' } });
  await call('delete-contact', { path: { id: one.id } });
  await stream.settle();
  expect((await call('list-notes', { query: { contactId: other.id } })).data).toHaveLength(1);
  expect((await text(other.phone)).contactId).toBe(other.id);
});
