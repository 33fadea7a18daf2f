import { afterAll, expect, test } from 'vitest';
import { contactCallKey } from '../../shared/calls/call.ts';
import { touchContact } from '../../shared/contact-aggregate/touch-contact.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import { timelineChangeKey } from '../../shared/contacts/timeline-change.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import { notifiedKey } from '../../shared/notifications/notification.ts';
import { contactsClient } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { eventsAbout, left, withContact } from './call-records.ts';
import { type CallRecord, callsClient } from './client.ts';
import { expectConsistent } from './consistency.ts';
import { receiveMessage } from './messages.ts';

const tenants = await setUpTenants();
const { product, admin, rep, otherRep, newContact } = tenants;
const calls = callsClient(product, rep);
const contacts = contactsClient(product, rep);
afterAll(() => expectConsistent(product, admin));

const eventNames = async (contactId: string) =>
  (await eventsAbout(tenants, contactId)).map(({ event }) => event);

test.each([
  ['inbound', async () => calls.answered()],
  ['outbound', async () => calls.dialed({ phoneNumber: newPhoneNumber() })],
])(
  'deleteContact deletes the newly created placeholder of an %s call; `contact_removed` is emitted',
  async (_, begin) => {
    const call = await begin();
    const number = call.from ?? call.to ?? '';
    const contact = (await contacts.read(call.contactId)).body.data;
    expect((await calls.discard(call._id, withContact(call))).status).toBe(200);
    expect(await left(tenants, call)).toEqual({ call: false, conversation: false, contact: false });
    expect((await contacts.read(call.contactId)).status).toBe(404);
    expect((await contacts.board({ search: number })).New?.total).toBe(0);
    const removed = (await eventsAbout(tenants, call.contactId)).find(
      ({ event }) => event === 'contact_removed',
    );
    expect(removed).toMatchObject({
      data: { contactId: call.contactId, stageId: contact.stageId, pipelineId: contact.pipelineId },
      audience: { kind: 'record', people: [rep.userId] },
    });
    // Its phone lock goes with it: the number is usable afterwards.
    await contacts.created({ firstName: 'Next', phoneNumbers: [{ value: number }] });
  },
);

test('deleteContact deletes the placeholder too when an earlier call was discarded without it', async () => {
  const first = await calls.answered();
  await arrange(calls.discard(first._id));
  const second = await calls.answered(first.from ?? '');
  await arrange(calls.discard(second._id, withContact(second)));
  expect(await left(tenants, second)).toEqual({ call: false, conversation: false, contact: false });
});

test.each<[string, (call: CallRecord) => Record<string, unknown>]>([
  ['without contactId', () => ({ deleteContact: true })],
  ['with the id of no contact', () => ({ contactId: '01JZZZZZZZZZZZZZZZZZZZZZZZ', deleteContact: true })],
  ['with what is not an id', () => ({ contactId: '', deleteContact: true })],
  ['false', ({ contactId }) => ({ contactId, deleteContact: false })],
  ['absent', ({ contactId }) => ({ contactId })],
])('deleteContact %s leaves the contact; still 200, no event', async (_, bodyFor) => {
  const call = await calls.answered();
  const before = await eventNames(call.contactId);
  expect((await calls.discard(call._id, bodyFor(call))).status).toBe(200);
  expect(await left(tenants, call)).toEqual({ call: false, conversation: false, contact: true });
  expect(await eventNames(call.contactId)).toEqual(before);
});

test('deleteContact with another placeholder’s id touches neither', async () => {
  const [call, other] = [await calls.answered(), await calls.answered()];
  expect((await calls.discard(call._id, withContact(other))).status).toBe(200);
  expect(await left(tenants, call)).toMatchObject({ call: false, contact: true });
  expect(await left(tenants, other)).toEqual({ call: true, conversation: true, contact: true });
  expect(await eventNames(other.contactId)).not.toContain('contact_removed');
});

test('deleteContact leaves a contact that was there before the call', async () => {
  const { _id: contactId } = await newContact();
  const call = await calls.dialed({ contactId });
  await arrange(calls.discard(call._id, withContact(call)));
  expect(await left(tenants, call)).toEqual({ call: false, conversation: false, contact: true });
});

test.each<[string, Record<string, unknown>]>([
  ['a first name', { firstName: 'Ada' }],
  ['a last name', { lastName: 'Lovelace' }],
  ['a source', { source: 'Referral' }],
  ['no source', { source: null }],
  ['the source of the other kind of call', { source: 'Outgoing Call' }],
  ['an email address', { email: 'ada@example.com' }],
  ['custom fields', { customFields: { city: 'London' } }],
  ['tags', { tags: ['vip'] }],
])('deleteContact leaves a contact that somebody has given %s', async (_, edit) => {
  const call = await calls.answered();
  expectStatus(await contacts.update(call.contactId, edit), 200);
  const before = await eventNames(call.contactId);
  expect((await calls.discard(call._id, withContact(call))).status).toBe(200);
  expect(await left(tenants, call)).toEqual({ call: false, conversation: false, contact: true });
  expect(await eventNames(call.contactId)).toEqual(before);
});

test('deleteContact leaves a contact that somebody has given a second number, which stays locked', async () => {
  const call = await calls.answered();
  const numbers = [call.from ?? '', newPhoneNumber()];
  await arrange(contacts.update(call.contactId, { phoneNumbers: numbers.map((value) => ({ value })) }));
  await arrange(calls.discard(call._id, withContact(call)));
  expect(await left(tenants, call)).toMatchObject({ contact: true });
  expect((await contacts.create({ phoneNumbers: [{ value: numbers[1] }] })).status).toBe(409);
});

test('deleteContact deletes a placeholder that was only moved or given to a colleague', async () => {
  const call = await calls.answered();
  await arrange(contacts.move(call.contactId, { stage: 'Contacted' }));
  await arrange(contacts.update(call.contactId, { assignees: [otherRep.userId] }));
  await arrange(calls.discard(call._id, withContact(call)));
  expect(await left(tenants, call)).toEqual({ call: false, conversation: false, contact: false });
});

test('deleteContact deletes a placeholder that somebody was notified about, and that has a timeline', async () => {
  const { table, moment } = product.tableOf(admin.organizationId);
  const call = await calls.answered();
  const notified = notifiedKey(call.contactId, moment.newId());
  const created = timelineChangeKey(call.contactId, `${moment.newId()}-created`);
  await table.commit([table.put(notified, { userIds: [rep.userId] }), table.put(created, {} as never)]);
  await arrange(calls.discard(call._id, withContact(call)));
  expect(await left(tenants, call)).toEqual({ call: false, conversation: false, contact: false });
  await table.commit([table.delete(notified), table.delete(created)]);
});

test('deleteContact leaves a contact with another call', async () => {
  const call = await calls.answered();
  const other = await calls.answered(call.from ?? '');
  await arrange(calls.discard(call._id, withContact(call)));
  expect(await left(tenants, call)).toEqual({ call: false, conversation: true, contact: true });
  expect((await calls.read(other._id)).status).toBe(200);
  // The last call takes it along.
  await arrange(calls.discard(other._id, withContact(other)));
  expect(await left(tenants, other)).toEqual({ call: false, conversation: false, contact: false });
});

test.each(['sms', 'email', 'voice'] as const)(
  'deleteContact leaves a contact who has written: %s',
  async (channel) => {
    const call = await calls.answered();
    await receiveMessage(product, rep, call.from ?? '', channel);
    await arrange(calls.discard(call._id, withContact(call)));
    expect(await left(tenants, call)).toEqual({
      call: false,
      conversation: channel === 'voice',
      contact: true,
    });
    expect(await eventNames(call.contactId)).not.toContain('contact_removed');
  },
);

test.each(['AAA', 'NOTE', 'ZZZ'])(
  'deleteContact leaves a contact with anything else attached to it, whatever it is: %s',
  async (kind) => {
    const { table, moment } = product.tableOf(admin.organizationId);
    const call = await calls.answered();
    const { partition } = contactKey(call.contactId);
    const key = { partition, sort: [kind, childId(call.contactId, moment.newId())] };
    await table.commit([touchContact(table, call.contactId), table.add(key, { kind })]);
    await arrange(calls.discard(call._id, withContact(call)));
    expect(await left(tenants, call)).toEqual({ call: false, conversation: false, contact: true });
    expect(await eventNames(call.contactId)).not.toContain('contact_removed');
  },
);

test('deleteContact of a contact deleted before discards the call alone', async () => {
  const call = await calls.answered();
  expectStatus(await contacts.remove(call.contactId), 200);
  const { table } = product.tableOf(admin.organizationId);
  await table.commit([table.delete(contactCallKey(call._id))]);
  const before = await eventNames(call.contactId);
  expect((await calls.discard(call._id, withContact(call))).status).toBe(200);
  expect(await eventNames(call.contactId)).toEqual(before);
  expect((await calls.read(call._id)).status).toBe(404);
});

test('A SALES_REP who called somebody else’s contact may discard the call, not the contact', async () => {
  const value = newPhoneNumber();
  const { _id } = await contactsClient(product, admin).created({
    firstName: 'New Contact',
    source: 'Outgoing Call',
    phoneNumbers: [{ value }],
  });
  const call = await calls.answered(value);
  expect(call.contactId).toBe(_id);
  await arrange(calls.discard(call._id, withContact(call)));
  expect(await left(tenants, call)).toEqual({ call: false, conversation: false, contact: true });
});
