import { expect, test } from 'vitest';
import { callsClient } from '../calls/client.ts';
import { contactsClient } from '../contacts/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { leadsClient, newLead } from './leads-client.ts';

const { product, admin, rep, otherRep } = await setUpTenants();
const leads = leadsClient(product, admin);
const contacts = contactsClient(product, admin);
const calls = callsClient(product, rep);
const configuration = await leads.configure({ source: 'Facebook', ownerId: rep.userId });

/** A contact with a number, and the number. */
async function known(more: Record<string, unknown> = {}) {
  const phoneNumber = newPhoneNumber();
  const { _id } = await contacts.created({
    firstName: 'Ada',
    phoneNumbers: [{ value: phoneNumber }],
    ...more,
  });
  return { _id, phoneNumber };
}

test('A lead with the number of a contact means that contact, in any spelling, and returns the same ids', async () => {
  const first = await leads.sent(configuration._id, { phoneNumber: '+44 20 7946 0958' });
  for (const phoneNumber of [
    '+442079460958',
    '0044 20 7946 0958',
    '+44 (20) 7946-0958',
    '+44.20.7946.0958',
  ]) {
    expect(outcome(await leads.send(configuration._id, { phoneNumber, firstName: phoneNumber }))).toEqual({
      status: 200,
      body: { success: true, message: 'Lead received: a contact already has this number', data: first },
    });
  }
});

test('A lead of a number that a contact has changes nothing when it says nothing new: no updatedAt, and no event but its own', async () => {
  const lead = { ...newLead(), email: 'ada@example.com', city: 'London' };
  const { contactId } = await leads.sent(configuration._id, lead);
  const before = await leads.contact(contactId);
  const events = (await readEvents(product, admin.organizationId)).length;
  await leads.sent(configuration._id, { ...lead, firstName: 'Grace', email: 'grace@example.com' });
  expect(await leads.contact(contactId)).toEqual(before);
  const [own, ...others] = (await readEvents(product, admin.organizationId)).slice(events);
  expect(own).toMatchObject({ event: 'lead_received', data: { lead: { isNew: false, changed: false } } });
  expect(others).toEqual([]);
});

test('A lead with the number of a contact fills what is empty, keeps what is not, and emits contact_updated', async () => {
  const phoneNumber = newPhoneNumber();
  const { _id } = await contacts.created({
    firstName: 'Ada',
    phoneNumbers: [{ value: newPhoneNumber() }, { value: phoneNumber, label: 'mobile' }],
    owner: null,
    stage: 'Won',
    tags: ['vip'],
  });
  const before = await leads.contact(_id);
  const lead = { phoneNumber, firstName: 'Augusta', lastName: 'King', email: 'ada@example.com' };
  const { contactId, conversationId } = await leads.sent(configuration._id, lead);
  expect(contactId).toBe(_id);
  const after = await leads.contact(_id);
  expect(after).toEqual({
    ...before,
    lastName: 'King',
    fullName: 'Ada King',
    email: 'ada@example.com',
    source: 'Facebook',
    owner: rep.userId,
    updatedAt: after.updatedAt,
  });
  expect(await leads.conversations(_id)).toMatchObject([{ _id: conversationId, channel: 'sms' }]);
  const events = await readEvents(product, admin.organizationId);
  expect(events.filter(({ data }) => data.contactId === _id).map(({ event }) => event)).toContain(
    'contact_updated',
  );
});

test('A lead of a number that a contact has keeps the owner, the source and the stage that the contact has', async () => {
  const kept = { source: 'Referral', owner: otherRep.userId, stage: 'Lost' };
  const { _id, phoneNumber } = await known(kept);
  await leads.sent(configuration._id, { phoneNumber });
  expect(await leads.contact(_id)).toMatchObject(kept);
});

test('A lead of a number that a contact has gives a name to whom a call or a message had none for', async () => {
  const callers = newPhoneNumber();
  const call = await calls.answered(callers);
  const { contactId, conversationId } = await leads.sent(configuration._id, { phoneNumber: callers });
  expect(contactId).toBe(call.contactId);
  expect(conversationId).not.toBe(call.conversationId);
  expect(await leads.contact(contactId)).toMatchObject({ fullName: 'Ada Lovelace', source: 'Incoming Call' });

  const senders = newPhoneNumber();
  const webhook = await newWebhookClient(product, admin, rep);
  const message = expectStatus(await webhook.text({ From: senders }), 200).data;
  const ids = await leads.sent(configuration._id, { phoneNumber: senders });
  expect(ids).toMatchObject({ contactId: message.contactId, conversationId: message.conversationId });
  expect(await leads.contact(ids.contactId)).toMatchObject({ fullName: 'Ada Lovelace' });
});

test.each<[string, Record<string, unknown>]>([
  ['tags', { tags: ['vip'] }],
  ['an email address', { email: 'ada@example.com' }],
  ['custom data', { customFields: { city: 'London' } }],
])(
  'A lead of a number that a contact has gives a name to a caller of whom nothing but %s is known',
  async (_, known) => {
    const phoneNumber = newPhoneNumber();
    const call = await calls.answered(phoneNumber);
    expectStatus(await contacts.update(call.contactId, known), 200);
    await leads.sent(configuration._id, { phoneNumber });
    expect(await leads.contact(call.contactId)).toMatchObject({ fullName: 'Ada Lovelace', ...known });
  },
);

test('A lead of a number that a contact has keeps a name that somebody gave to a caller', async () => {
  const phoneNumber = newPhoneNumber();
  const call = await calls.answered(phoneNumber);
  expectStatus(await contacts.update(call.contactId, { firstName: 'Augusta', lastName: 'King' }), 200);
  await leads.sent(configuration._id, { phoneNumber });
  expect(await leads.contact(call.contactId)).toMatchObject({ fullName: 'Augusta King' });
});

test('A lead of a number that a contact has fills a source that is an empty text', async () => {
  const { _id, phoneNumber } = await known({ source: '' });
  await leads.sent(configuration._id, { phoneNumber });
  expect(await leads.contact(_id)).toMatchObject({ source: 'Facebook' });
});

test('A lead of a number that a contact has merges custom data: the newest value wins, and what it does not name stays', async () => {
  const lead = newLead();
  const { contactId } = await leads.sent(configuration._id, {
    ...lead,
    customData: { city: 'London', score: 1, nested: { a: 1, b: 2 } },
  });
  await leads.sent(configuration._id, { ...lead, score: 2, customData: { nested: { a: 3 }, plan: null } });
  expect((await leads.contact(contactId)).customFields).toEqual({
    city: 'London',
    score: 2,
    nested: { a: 3 },
    plan: null,
  });
});

test('A lead of a number that a contact has is not lost when the contact has no room for all of its custom data: what fits is kept', async () => {
  const customFields = Object.fromEntries(Array.from({ length: 48 }, (_, index) => [`own ${index}`, 1]));
  const { _id, phoneNumber } = await known({ customFields });
  const sent = { 'own 0': 2, first: 1, second: 2, third: 3, fourth: 4 };
  const { status, body } = await leads.send(configuration._id, { phoneNumber, ...sent });
  expect(status).toBe(200);
  expect(body.message).toBe(
    'Lead received: a contact already has this number, and has no room for 2 of the custom fields',
  );
  expect((await leads.contact(_id)).customFields).toEqual({
    ...customFields,
    'own 0': 2,
    first: 1,
    second: 2,
  });
});

test('A lead of a number that a contact has is not lost when the contact is full to the byte: what would be too large stays as it was', async () => {
  const lead = newLead();
  const half = 'x'.repeat(8 * 1024 - 8);
  const full = { a: half, b: half };
  expect(Buffer.byteLength(JSON.stringify(full))).toBe(16 * 1024 - 1);
  const { contactId } = await leads.sent(configuration._id, { ...lead, ...full });
  const { body } = await leads.send(configuration._id, { ...lead, a: `${half}xx`, more: 1 });
  expect(body.message).toMatch(/, and has no room for 2 of the custom fields$/);
  expect((await leads.contact(contactId)).customFields).toEqual(full);
  await leads.sent(configuration._id, { ...lead, b: `${half}x` });
  expect((await leads.contact(contactId)).customFields).toEqual({ a: half, b: `${half}x` });
  await leads.sent(configuration._id, { ...lead, a: 'short', more: 1 });
  expect((await leads.contact(contactId)).customFields).toEqual({ a: 'short', b: `${half}x`, more: 1 });
});
