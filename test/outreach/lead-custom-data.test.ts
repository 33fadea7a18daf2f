import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';
import { leadsClient, newLead } from './leads-client.ts';

const { product, admin, rep, otherRep, foreignAdmin } = await setUpTenants();
const leads = leadsClient(product, admin);
const configuration = await leads.configure({ source: 'Facebook', ownerId: rep.userId });

const refused = async (lead: Record<string, unknown>, more = {}) =>
  outcome(await leads.send(configuration._id, lead, more));

test('Custom data is every extra top-level field and customData, which wins over an extra of the same name', async () => {
  const { contactId } = await leads.sent(configuration._id, {
    campaign: 'spring',
    tags: ['a', { b: null }],
    score: 0.1,
    city: 'London',
    customData: { city: 'Paris', campaign: null, 'odd key #1': true },
  });
  expect((await leads.contact(contactId)).customFields).toEqual({
    campaign: null,
    tags: ['a', { b: null }],
    score: 0.1,
    city: 'Paris',
    'odd key #1': true,
  });
});

/**
 * Decisions 10, "Outreach lead, never lost for a detail": of extras beyond the caps what fits is kept, and `message` says what was left
 * out.
 */
test('Custom data of odd kinds does not refuse a lead: what cannot be stored is left out and named', async () => {
  const { phoneNumber } = newLead();
  const deep = `${'['.repeat(5_000)}1${']'.repeat(5_000)}`;
  const body = `{"configurationId": "${configuration._id}", "phoneNumber": "${phoneNumber}", "firstName": "Ada",
    "lastName": "Lovelace", "email": "\\udc00@", "city": "Par\\ud800is", "big": 1e400, "deep": ${deep},
    "customData": {"\\udfff": 1, "list": [1, -1e999, 2], "kept": true}}`;
  const response = await leads.send(configuration._id, {}, { body });
  const { message, data } = expectStatus(response, 200);
  expect(message).toMatch(/^Lead received: new contact\. Left out: big, deep\[0\].*, customData\.list\[1\]$/);
  expect((await leads.contact(data.contactId)).customFields).toMatchObject({
    city: 'Par\ufffdis',
    email: '\ufffd@',
    '\ufffd': 1,
    list: [1, 2],
    kept: true,
  });
});

test('A lead that is nested too deep is received, also with a number of many digits', async () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const body = `{"configurationId": "${configuration._id}", "firstName": "Ada", "deep": ${deep}, "price": 5000.00}`;
  const { message } = expectStatus(await leads.send(configuration._id, {}, { body }), 200);
  expect(message).toMatch(/^Lead received: new contact\. Left out: deep\[0\]/);
});

test('A lead whose customData is a number keeps it with its digits', async () => {
  const body = `{"configurationId": "${configuration._id}", "firstName": "Ada", "customData": 120210000000000123}`;
  const { contactId } = expectStatus(await product.call('receive-lead', { body }), 200).data;
  const { text } = await product.call('read-contact', { token: admin.token, path: { id: contactId } });
  expect(text).toContain('"customFields":{"customData":120210000000000123}');
});

test('Custom data may be called as fields of the service are, without touching these', async () => {
  const fields = {
    _id: 'mine',
    organizationId: foreignAdmin.organizationId,
    userId: 'me',
    createdAt: 'yesterday',
    owner: otherRep.userId,
    stageId: 'mine',
  };
  const { contactId } = await leads.sent(configuration._id, fields);
  const contact = await leads.contact(contactId);
  expect(contact.customFields).toEqual(fields);
  expect(contact).toMatchObject({ _id: contactId, owner: rep.userId, stage: 'New' });
});

test('Custom data may have the key constructor and its like; __proto__ is 400', async () => {
  const odd = '"constructor": {"prototype": {"a": 1}}, "toString": 1, "hasOwnProperty": null';
  const { phoneNumber } = newLead();
  const body = `{"configurationId": "${configuration._id}", "phoneNumber": "${phoneNumber}", "firstName": "Odd", "lastName": "Keys", ${odd}, "customData": {"valueOf": 2, ${odd}}}`;
  const { data } = expectStatus(await product.call('receive-lead', { body }), 200);
  const { customFields } = await leads.contact(data.contactId);
  expect(customFields).toEqual({ ...JSON.parse(`{${odd}}`), valueOf: 2 });
  expect(await refused({}, { body: body.replace('valueOf', '__proto__') })).toEqual(
    failure(400, 'body must not contain the key __proto__'),
  );
});

const numbered = (count: number, from = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${from + index}`, index]));

/** Decisions 10: `customData` has precedence over further fields, for names and for room; of extras beyond the caps what fits is kept, and `message` says what was left out. */
test('Custom data has at most 50 keys, further fields and customData together; the message names what is left out', async () => {
  const { contactId } = await leads.sent(configuration._id, {
    ...numbered(20),
    customData: numbered(30, 20),
  });
  expect((await leads.contact(contactId)).customFields).toEqual({ ...numbered(20), ...numbered(30, 20) });
  for (const [lead, skippedFields] of [
    [{ ...numbered(20), customData: numbered(31, 20) }, 'key 19'],
    [numbered(51), 'key 50'],
    [{ customData: numbered(51) }, 'key 50'],
  ] as const) {
    const { body } = await leads.send(configuration._id, lead);
    expect(body.message).toBe(`Lead received: new contact. Left out: ${skippedFields}`);
    const { customFields } = await leads.contact(body.data.contactId);
    const kept = Object.keys(numbered(51)).filter((name) => name !== skippedFields);
    expect(Object.keys(customFields as object).sort()).toEqual(kept.sort());
  }
  const { body } = await leads.send(configuration._id, numbered(62));
  expect(body.message).toBe(
    `Lead received: new contact. Left out: ${Object.keys(numbered(10, 50)).join(', ')}, and 2 more`,
  );
  // A name that comes twice counts once.
  expect((await refused({ ...numbered(50), customData: numbered(50) })).status).toBe(200);
});

test('Custom data has at most 16 KB, and keys of at most 200 characters; what fits is kept', async () => {
  const odd = 'é"\u0001👋'.repeat(500);
  const rest = 16 * 1024 - Buffer.byteLength(JSON.stringify({ text: odd }));
  const exactly = { text: odd + 'x'.repeat(rest) };
  expect(Buffer.byteLength(JSON.stringify(exactly))).toBe(16 * 1024);
  expect((await refused({ customData: exactly })).status).toBe(200);
  expect((await refused(exactly)).status).toBe(200);
  const tooMuch = await leads.send(configuration._id, { text: `${exactly.text}x`, city: 'London' });
  expect(tooMuch.body.message).toBe('Lead received: new contact. Left out: text');
  expect((await leads.contact(tooMuch.body.data.contactId)).customFields).toEqual({ city: 'London' });
  expect((await refused({ ['👋'.repeat(200)]: 1 })).status).toBe(200);
  const long = await leads.send(configuration._id, { ['👋'.repeat(201)]: 1 });
  expect(long.body.message).toBe(`Lead received: new contact. Left out: ${'👋'.repeat(50)}`);
  expect((await leads.contact(long.body.data.contactId)).customFields).toEqual({});
});
