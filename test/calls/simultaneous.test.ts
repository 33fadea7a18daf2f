import { afterAll, expect, test } from 'vitest';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { countStatuses, newPhoneNumber } from '../harness/tenants.ts';
import { type CallRecord, type CallsClient, callsClient, numberSpellings } from './client.ts';
import { callsIn, contactsIn, conversationsIn, expectConsistent } from './consistency.ts';
import { spreadOverConnections } from './many-connections.ts';

const { product } = await setUpTenants();
const closeConnections = spreadOverConnections(product);
afterAll(() => closeConnections());

/** An organization of its own, so that everything in its table is of one test. */
async function newClient(): Promise<{ admin: Person; client: CallsClient }> {
  const admin = await product.newOrganization();
  return { admin, client: callsClient(product, admin) };
}
const admin = await product.newOrganization();
const colleagues = [admin, ...(await Promise.all([1, 2, 3].map(() => product.newColleague(admin))))];
const spellings = numberSpellings(newPhoneNumber());
const responses = await Promise.all(
  Array.from({ length: 100 }, (_, index) =>
    callsClient(product, colleagues[index % 4] ?? admin).answer(spellings[index % 5] ?? ''),
  ),
);
const records = await expectConsistent(product, admin);

test('100 simultaneous inbound calls of one unknown number, in five spellings get 100 × 201', () => {
  expect(countStatuses(responses)).toEqual({ 201: 100 });
});

test('100 simultaneous inbound calls of one unknown number, in five spellings make one contact, one voice conversation and 100 calls', () => {
  const calls = responses.map(({ body }) => body.call as CallRecord);
  expect(contactsIn(records)).toHaveLength(1);
  expect(conversationsIn(records)).toMatchObject([{ channel: 'voice', messageCount: 0 }]);
  expect(new Set(callsIn(records).map(({ _id }) => _id))).toEqual(new Set(calls.map(({ _id }) => _id)));
  expect(new Set(calls.map(({ _id }) => _id)).size).toBe(100);
  expect(new Set(calls.map(({ contactId }) => contactId)).size).toBe(1);
  expect(new Set(calls.map(({ conversationId }) => conversationId)).size).toBe(1);
});

test('100 simultaneous inbound calls of one unknown number, in five spellings emit 100 × `call_answered`, and `contact_created` once', async () => {
  const names = (await readEvents(product, admin.organizationId)).map(({ event }) => event);
  expect(names.filter((name) => name === 'call_answered')).toHaveLength(100);
  expect(names.filter((name) => name !== 'call_answered')).toEqual(['contact_created']);
});

test('40 simultaneous calls to and from one known contact do not meet each other: none is tried twice', async () => {
  const { admin, client } = await newClient();
  const value = newPhoneNumber();
  const { contactId } = await client.answered(value);
  const responses = await Promise.all(
    Array.from({ length: 40 }, (_, index) => (index % 2 ? client.answer(value) : client.dial({ contactId }))),
  );
  expect(countStatuses(responses)).toEqual({ 201: 40 });
  // The caller; the lock and the aggregate, or the aggregate alone; the numbers of the user; one transaction.
  expect(new Set(responses.map(({ consumed }) => consumed?.requests))).toEqual(new Set([5, 6]));
  expect(callsIn(await expectConsistent(product, admin))).toHaveLength(41);
});

test.each([false, true])(
  'All calls of a contact discarded at once leave neither a call nor the voice conversation; with deleteContact (%j) their placeholder goes, once',
  async (deleteContact) => {
    const { admin, client } = await newClient();
    const value = newPhoneNumber();
    const calls = [];
    for (let count = 0; count < 12; count += 1) {
      calls.push(await client.answered(value));
    }
    const responses = await Promise.all(
      calls.map(({ _id, contactId }) => client.discard(_id, { contactId, deleteContact })),
    );
    expect(countStatuses(responses)).toEqual({ 200: 12 });
    const records = await expectConsistent(product, admin);
    const gone = deleteContact ? 1 : 0;
    expect([callsIn(records), conversationsIn(records)]).toEqual([[], []]);
    expect(contactsIn(records)).toHaveLength(1 - gone);
    const names = (await readEvents(product, admin.organizationId)).map(({ event }) => event);
    expect(names.filter((name) => name === 'contact_removed')).toHaveLength(gone);
    expect((await client.answered(value)).contactId === calls[0]?.contactId).toBe(!deleteContact);
  },
);

test('A call discarded twenty times at once gets 20 × 200, and takes its contact along once', async () => {
  const { admin, client } = await newClient();
  const { _id, contactId } = await client.answered();
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => client.discard(_id, { contactId, deleteContact: true })),
  );
  expect(countStatuses(responses)).toEqual({ 200: 20 });
  const names = (await readEvents(product, admin.organizationId)).map(({ event }) => event);
  expect(names.filter((name) => name === 'contact_removed')).toHaveLength(1);
  expect(contactsIn(await expectConsistent(product, admin))).toEqual([]);
});

test('A call ended and discarded at once is discarded, whichever came first', async () => {
  const { admin, client } = await newClient();
  for (let round = 0; round < 20; round += 1) {
    const { _id } = await client.answered();
    const [ended, discarded] = await Promise.all([client.end(_id), client.discard(_id)]);
    expect([200, 404]).toContain(ended.status);
    expect(discarded.status).toBe(200);
    expect((await client.read(_id)).status).toBe(404);
  }
  expect(callsIn(await expectConsistent(product, admin))).toEqual([]);
});
