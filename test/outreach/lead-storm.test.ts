import { expect, test } from 'vitest';
import { contactsIn, conversationsIn, expectConsistent } from '../calls/consistency.ts';
import { contactsClient } from '../contacts/client.ts';
import type { ApiResponse } from '../harness/call.ts';
import { readEvents } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { deliverDeferred } from '../harness/queues.ts';
import { expectStatus } from '../harness/tenants.ts';
import { type LeadIds, type LeadsClient, leadsClient, newLead } from './leads-client.ts';

const product = await setUpProduct();

const newSource = async () => leadsClient(product, await product.newOrganization());

const atOnce = <Result>(count: number, one: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));

/** What the organization of a source has. */
async function everything({ admin, conversations }: LeadsClient) {
  const contacts = await contactsClient(product, admin).everything();
  const applied = await contactsClient(product, admin).everything({ pipelineType: 'Application' });
  const lists = await Promise.all(contacts.map(({ _id }) => conversations(_id)));
  return { contacts, conversations: lists.flat(), applications: applied.length };
}

/** Sends a lead until its ids are known; what was deferred, because so many are in the way, is applied meanwhile. */
async function untilReceived(send: () => Promise<ApiResponse>): Promise<LeadIds> {
  for (;;) {
    const response = await send();
    if (response.status !== 202) {
      return expectStatus(response, 200).data;
    }
    const deferred = product.queues.deferredRequests.take().map(({ body }) => body);
    await deliverDeferred(product.providers, deferred);
  }
}

async function totals({ admin }: LeadsClient) {
  const response = await product.call('read-outreach-metrics', { token: admin.token });
  return expectStatus(response, 200).data.totals;
}

const spellings = [
  '+1 555 010 1815',
  '001 (555) 010-1815',
  '+15550101815',
  '+1.555.010.1815',
  '+1–555–010–1815',
];

test('100 leads at the same moment that are copies in five spellings of one number: one contact, one conversation, one application, 100 × 200, equal ids', async () => {
  const source = await newSource();
  const { _id } = await source.configure({ createApplication: true });
  const lead = { ...newLead(), city: 'London' };
  const responses = await atOnce(100, (index) =>
    source.send(_id, { ...lead, phoneNumber: spellings[index % spellings.length] }),
  );
  expect(responses.map(({ status }) => status)).toEqual(Array(100).fill(200));
  const ids = new Set(responses.map(({ body }) => JSON.stringify(body.data)));
  expect(ids.size).toBe(1);
  const { contacts, conversations, applications } = await everything(source);
  expect([contacts.length, conversations.length, applications]).toEqual([1, 1, 1]);
  expect(JSON.parse([...ids][0] ?? '')).toMatchObject({
    contactId: contacts[0]?._id,
    conversationId: conversations[0]?._id,
  });
  expect(contacts[0]?.phoneNumbers).toEqual([{ value: '+15550101815', label: '', isPrimary: true }]);
  const events = await readEvents(product, source.admin.organizationId);
  expect(events.map(({ event }) => event).sort()).toEqual([
    'contact_created',
    'contact_updated',
    'lead_received',
  ]);
  expect(await totals(source)).toEqual({ leads: 1, newContacts: 1, duplicates: 0, applications: 1 });
});

test('30 leads at the same moment with different data about one number: one contact, which has all of them', async () => {
  const source = await newSource();
  const { _id } = await source.configure();
  const lead = newLead();
  const all = await atOnce(30, (index) =>
    untilReceived(() => source.send(_id, { ...lead, [`field ${index % 15}`]: 'told' })),
  );
  expect(new Set(all.map(({ contactId, conversationId }) => contactId + conversationId)).size).toBe(1);
  const [contact, ...others] = contactsIn(await expectConsistent(product, source.admin));
  expect(others).toEqual([]);
  expect(Object.keys(contact?.customFields ?? {}).sort()).toEqual(
    Array.from({ length: 15 }, (_, index) => `field ${index}`).sort(),
  );
});

test('30 leads at the same moment of 30 people: 30 contacts, each with a conversation and an application', async () => {
  const source = await newSource();
  const { _id } = await source.configure({ createApplication: true });
  const all = await atOnce(30, () => {
    const lead = newLead();
    return untilReceived(() => source.send(_id, lead));
  });
  for (const ids of [
    all.map(({ contactId }) => contactId),
    all.map(({ conversationId }) => conversationId),
    all.map(({ applicationId }) => applicationId),
  ]) {
    expect(new Set(ids).size).toBe(30);
  }
  const { contacts, conversations, applications } = await everything(source);
  expect([contacts.length, conversations.length, applications]).toEqual([30, 30, 30]);
});

test('30 leads at the same moment while their contact is deleted again and again: none is lost, and the number has one contact', async () => {
  const source = await newSource();
  const contacts = contactsClient(product, source.admin);
  const { _id } = await source.configure();
  const lead = newLead();
  await atOnce(30, async (index) => {
    const { contactId } = await untilReceived(() => source.send(_id, lead));
    if (index % 10 === 0) {
      await contacts.remove(contactId);
    }
  });
  const { contactId } = await source.sent(_id, lead);
  const records = await expectConsistent(product, source.admin);
  expect(contactsIn(records).map((contact) => contact._id)).toEqual([contactId]);
  expect(conversationsIn(records)).toMatchObject([{ contactId, channel: 'sms' }]);
});
