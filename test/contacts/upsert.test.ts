import { expect, test } from 'vitest';
import { eventsDuring } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { contactsClient, hoursAgo } from './client.ts';

const { product, admin, rep, otherRep } = await setUpTenants();
const contacts = contactsClient(product, admin);

type Fields = Record<string, unknown>;

const upsert = (body: Fields, { token }: Person = admin, at?: Date) =>
  product.call('upsert-contact', { token, body, at });
const upserted = async (body: Fields, status: 200 | 201, person?: Person, at?: Date) =>
  expectStatus(await upsert(body, person, at), status);

let ids = 0;
const newMatches = (): [string, Fields][] => {
  ids += 1;
  return [
    ['phone', { phoneNumbers: [{ value: newPhoneNumber(), label: 'mobile' }] }],
    ['email', { email: `upsert-${ids}@example.com` }],
    ['externalId', { externalId: `upsert-${ids}`, firstName: 'External' }],
  ];
};
const matches = newMatches();

test.each(matches)(
  'An upsert by %s creates the contact, then finds it, and changes nothing when sent again',
  async (match, fields) => {
    const body = { match, lastName: 'Upsert', tags: ['a'], customFields: { a: 1, gone: null }, ...fields };
    const created = await upserted(body, 201);
    expect(created).toMatchObject({ success: true, message: 'Contact created', created: true });
    expect(created.data).toMatchObject({
      lastName: 'Upsert',
      customFields: { a: 1 },
      stage: 'New',
      owner: admin.userId,
    });
    expect(await upserted(body, 200, admin, new Date(Date.now() + 60_000))).toEqual({
      success: true,
      message: 'No changes',
      created: false,
      data: created.data,
    });
    expect((await contacts.read(created.data._id)).body.data).toEqual(created.data);
  },
);

test('A contact that is found keeps its numbers and tags and gets further ones; its custom fields are set key by key, the rest is set', async () => {
  const [value, second, third] = [newPhoneNumber(), newPhoneNumber(), newPhoneNumber()];
  const before = await contacts.created({
    ...{ firstName: 'Before', source: 'Web', tags: ['Old'], email: 'old@example.com' },
    phoneNumbers: [{ value, label: 'work' }, { value: second }],
    customFields: { a: 1, b: 2, c: { deep: true } },
  });
  const at = new Date(Date.now() + 60_000);
  const { data, message } = await upserted(
    {
      match: 'phone',
      phoneNumbers: [{ value: third }, { value, label: 'mobile', isPrimary: true, extension: '7' }],
      ...{ firstName: 'After', source: null, tags: ['new', 'old'], owner: rep.userId },
      customFields: { a: 9, b: null, d: [1] },
    },
    200,
    admin,
    at,
  );
  expect(message).toBe('Contact updated');
  expect(data).toEqual({
    ...before,
    ...{ firstName: 'After', fullName: 'After', source: null, tags: ['Old', 'new'], owner: rep.userId },
    phoneNumbers: [...before.phoneNumbers, { value: third, label: '', isPrimary: false }],
    customFields: { a: 9, c: { deep: true }, d: [1] },
    updatedAt: at.toISOString(),
  });
  expect((await contacts.read(before._id)).body.data).toEqual(data);
});

test('A contact without numbers that is found gets those of the request, with the primary one of the request', async () => {
  const [a, b] = [newPhoneNumber(), newPhoneNumber()];
  await contacts.created({ email: 'numberless@example.com' });
  const { data } = await upserted(
    {
      match: 'email',
      email: 'Numberless@example.com',
      phoneNumbers: [{ value: a }, { value: b, isPrimary: true }],
    },
    200,
  );
  // What finds the contact stays as it is.
  expect(data.email).toBe('numberless@example.com');
  expect(data.phoneNumbers.map(({ isPrimary }: { isPrimary: boolean }) => isPrimary)).toEqual([false, true]);
});

test('A stage in an upsert is where a new contact enters, and moves one that is found; both changes are told', async () => {
  const value = newPhoneNumber();
  const body = { match: 'phone', phoneNumbers: [{ value }] };
  const { data } = await upserted({ ...body, stage: 'Contacted' }, 201);
  expect(data.stage).toBe('Contacted');
  expect((await upserted(body, 200)).data.stage).toBe('Contacted');
  expect((await upserted({ ...body, pipelineId: data.pipelineId }, 200)).message).toBe('No changes');
  const { result: moved, events } = await eventsDuring(product, admin.organizationId, () =>
    upserted({ ...body, stage: 'won', firstName: 'Moved' }, 200),
  );
  expect(moved.data).toMatchObject({ stage: 'Won', firstName: 'Moved' });
  expect((await contacts.board({ search: value })).Won?.contacts).toEqual([moved.data]);
  expect(events.map(({ event }) => event)).toEqual(['contact_updated', 'contact_stage_changed']);
  expect((await upsert({ ...body, stage: 'Nowhere' })).status).toBe(404);
});

test('An archived contact is found by an upsert, which restores it, even one that changes nothing else', async () => {
  const email = 'archived@example.com';
  const path = { id: (await contacts.created({ email }))._id };
  const archive = () => product.call('archive-contact', { token: admin.token, path });
  for (const [more, told] of [
    [{}, ['contact_restored']],
    [{ stage: 'Won', firstName: 'Back' }, ['contact_restored', 'contact_updated', 'contact_stage_changed']],
  ] as const) {
    expectStatus(await archive(), 200);
    const { result, events } = await eventsDuring(product, admin.organizationId, () =>
      upserted({ match: 'email', email, ...more }, 200),
    );
    expect(events.map(({ event }) => event)).toEqual(told);
    expect(result.data).not.toHaveProperty('archivedAt');
    expect(await contacts.everything({ search: 'back' })).toHaveLength('stage' in more ? 1 : 0);
  }
});

test('Of several contacts with the email address, the oldest that the caller may see is updated', async () => {
  const email = 'several@example.com';
  await contacts.created({ email, firstName: 'Hidden' }, hoursAgo(9));
  const mine = { owner: rep.userId, email };
  const { _id } = await contacts.created({ ...mine, firstName: 'Older' }, hoursAgo(8));
  await contacts.created({ ...mine, firstName: 'Younger' }, hoursAgo(7));
  const { data } = await upserted({ match: 'email', email, lastName: 'Found' }, 200, rep);
  expect(data).toMatchObject({ _id, firstName: 'Older', lastName: 'Found' });
});

test.each(newMatches())(
  'A contact that matches by %s and is out of sight is a 409 that does not say whose it is, and stays as it is',
  async (match, fields) => {
    const created = await upserted({ match, ...fields }, 201, otherRep);
    const { status, body } = await upsert({ match, ...fields, lastName: 'Mine' }, rep);
    expect(status).toBe(409);
    expect(Object.keys(body)).toEqual(['error', 'message']);
    expect((await contacts.read(created.data._id)).body.data).toEqual(created.data);
  },
);

test('A further number or an externalId that another contact has is a 409, and nothing is changed', async () => {
  const [value, others] = [newPhoneNumber(), newPhoneNumber()];
  const { _id: contactId } = await contacts.created({
    firstName: 'Other',
    externalId: 'taken-by-other',
    phoneNumbers: [{ value: others }],
  });
  const body = { match: 'phone', phoneNumbers: [{ value }] };
  const both = { ...body, phoneNumbers: [{ value }, { value: others }] };
  const external = { ...body, externalId: 'taken-by-other' };
  const refused = async (request: Fields, title: string) =>
    expect(outcome(await upsert(request))).toMatchObject({ status: 409, body: { error: title, contactId } });
  // Of a contact that would be new, and of one that is found.
  await refused(both, 'Phone number taken');
  await refused(external, 'External id taken');
  const { data } = await upserted(body, 201);
  await refused(both, 'Phone number taken');
  await refused(external, 'External id taken');
  expect((await contacts.read(data._id)).body.data).toEqual(data);
});

test.each([
  ['phone', {}, 'phoneNumbers'],
  ['phone', { phoneNumbers: [] }, 'phoneNumbers'],
  ['email', { email: null }, 'email'],
  ['externalId', { externalId: '' }, 'externalId'],
])('An upsert by %s with %j is refused, because %s is what it matches by', async (match, fields, field) => {
  const { status, body } = await upsert({ match, firstName: 'Nobody', ...fields });
  expect(status).toBe(400);
  expect(body.message).toContain(`${field} is required`);
});

test('A defined custom field is checked in an upsert, as it creates and as it updates, and named as the request has it', async () => {
  const byToken = { token: admin.token };
  const definition = { key: 'seats', label: 'Seats', type: 'number', appliesTo: 'contact' };
  expectStatus(await product.call('create-custom-field', { ...byToken, body: definition }), 201);
  const email = 'seats@example.com';
  for (const status of [201, 200] as const) {
    const refused = await upsert({ match: 'email', email, customFields: { seats: 'many' } });
    expect({ status: refused.status, message: refused.body.message }).toEqual({
      status: 400,
      message: expect.stringMatching(/^customFields\.seats /),
    });
    const { data } = await upserted({ match: 'email', email, customFields: { seats: status } }, status);
    expect(data.customFields).toEqual({ seats: status });
  }
});

test('An upsert that would leave a contact with too much says which field of the request is too large', async () => {
  const email = 'much@example.com';
  const tags = (from: number) => Array.from({ length: 40 }, (_, n) => `t${from + n}`);
  const numbers = () => Array.from({ length: 6 }, () => ({ value: newPhoneNumber() }));
  const fields = (from: number) => Object.fromEntries(tags(from).map((key) => [key, 1]));
  await contacts.created({ email, tags: tags(0), phoneNumbers: numbers(), customFields: fields(0) });
  for (const [field, value] of Object.entries({
    tags: tags(40),
    phoneNumbers: numbers(),
    customFields: fields(40),
  })) {
    const { status, body } = await upsert({ match: 'email', email, [field]: value });
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: expect.stringContaining(field),
    });
  }
});
