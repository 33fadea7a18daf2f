import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';

const tenants = await setUpTenants();
const { product, head, otherRep, foreignAdmin } = tenants;

const welcome = { name: 'Welcome', template: 'Hi {{firstName}}', type: 'sms', category: 'First' };

const create = ({ token }: Person, body: Record<string, unknown> = {}) =>
  product.call('create-template', { token, body: { ...welcome, ...body } });
const created = async (person: Person, body: Record<string, unknown> = {}) =>
  expectStatus(await create(person, body), 201).data;
const list = async ({ token }: Person, query: Record<string, string> = {}) =>
  expectStatus(await product.call('list-templates', { token, query }), 200);
const update = ({ token }: Person, id: string, body: Record<string, unknown>) =>
  product.call('update-template', { token, path: { id }, body });
const remove = ({ token }: Person, id: string) => product.call('delete-template', { token, path: { id } });
const names = async (person: Person, query = {}) =>
  (await list(person, query)).map(({ name }: { name: string }) => name);

test('The templates a caller sees are a bare array of the fields of the specification, sorted by name', async () => {
  const admin = await product.newOrganization();
  await created(admin, { name: 'b' });
  await created(admin, { name: 'a 10' });
  await created(admin, { name: 'A 9' });
  const templates = await list(admin);
  expect(Array.isArray(templates)).toBe(true);
  expect(Object.keys(templates[0])).toEqual(['_id', 'name', 'template', 'type', 'category']);
  expect(templates.map(({ name }: { name: string }) => name)).toEqual(['A 9', 'a 10', 'b']);
});

test("The templates a caller sees are the organization's and the caller's own, and nobody else's", async () => {
  const admin = await product.newOrganization();
  const [rep, other] = await Promise.all([product.newColleague(admin), product.newColleague(admin)]);
  await created(rep, { name: 'own' });
  await created(rep, { name: 'of all', isShared: true });
  expect(await names(rep)).toEqual(['of all', 'own']);
  expect(await names(other)).toEqual(['of all']);
  expect(await names(admin)).toEqual(['of all']);
  expect(await list(foreignAdmin)).toEqual([]);
});

test.each(['sms', 'campaign', 'script', 'automation'])(
  'The templates a caller sees can be those of the type %s alone',
  async (type) => {
    const admin = await product.newOrganization();
    for (const each of ['sms', 'campaign', 'script', 'automation']) {
      await created(admin, { name: each, type: each });
    }
    expect(await names(admin, { type })).toEqual([type]);
  },
);

test('The templates a caller sees cannot be those of a type that does not exist: 400', async () => {
  expect(
    outcome(await product.call('list-templates', { token: tenants.rep.token, query: { type: 'fax' } })),
  ).toEqual(failure(400, 'type must be one of sms, campaign, script, automation'));
});

test('A new template returns 201 with its fields, its text as it was written', async () => {
  const template = '  Hi {{firstName}},\n👩‍👩‍👧 {{ unknown }}  ';
  expect(outcome(await create(tenants.rep, { template }))).toEqual({
    status: 201,
    body: {
      success: true,
      message:
        'Template created. {{unknown}} is not a field of every contact: it is filled only for contacts with a custom field of that name.',
      data: { _id: expect.any(String), ...welcome, template },
    },
  });
});

test('A template has at most 10,000 characters and is not blank', async () => {
  expect((await create(tenants.rep, { template: '👍'.repeat(10_000) })).status).toBe(201);
  for (const template of ['👍'.repeat(10_001), '', ' \n ']) {
    expect((await create(tenants.rep, { template })).status).toBe(400);
  }
});

test('A template keeps what an update does not name', async () => {
  const { _id } = await created(tenants.rep);
  const { data } = expectStatus(await update(tenants.rep, _id, { name: 'Other' }), 200);
  expect(data).toEqual({ _id, ...welcome, name: 'Other' });
});

test('A template that is shared can be changed by its maker and by an ADMIN, and by nobody else', async () => {
  const { _id } = await created(tenants.rep, { isShared: true });
  for (const response of [await update(otherRep, _id, { name: 'Mine' }), await remove(head, _id)]) {
    expect(response.status).toBe(403);
    expect(response.body).toEqual({
      success: false,
      message: 'Only the creator of a template or an ADMIN may change it.',
    });
  }
  expectStatus(await update(tenants.rep, _id, { name: 'Better' }), 200);
  expectStatus(await update(tenants.admin, _id, { name: 'Best' }), 200);
  expectStatus(await remove(tenants.admin, _id), 200);
});

test('A template that is private reads as missing to everybody else, an ADMIN too', async () => {
  const { _id } = await created(tenants.rep);
  for (const person of [tenants.admin, otherRep, foreignAdmin]) {
    expect(outcome(await update(person, _id, { name: 'Mine' }))).toEqual(failure(404, 'Template not found'));
  }
});

test('A template can be shared, and taken back by its maker', async () => {
  const admin = await product.newOrganization();
  const rep = await product.newColleague(admin);
  const { _id } = await created(rep);
  expectStatus(await update(rep, _id, { isShared: true }), 200);
  expect(await names(admin)).toEqual(['Welcome']);
  expectStatus(await update(admin, _id, { isShared: false }), 200);
  expect(await names(admin)).toEqual([]);
  expect(await names(rep)).toEqual(['Welcome']);
});

test('A template is gone after its deletion', async () => {
  const { _id } = await created(tenants.rep);
  expect((await remove(tenants.rep, _id)).body).toEqual({ success: true, message: 'Template deleted' });
  expect((await remove(tenants.rep, _id)).status).toBe(404);
});

test('A template that many change at once ends as one of them left it, in one list', async () => {
  const admin = await product.newOrganization();
  const { _id } = await created(admin);
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      update(admin, _id, { name: `name ${index}`, isShared: index % 2 === 0 }),
    ),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await list(admin)).toHaveLength(1);
});

test('The most and longest templates allowed still fit into one response: 2 MB that an organization shares, and 2 MB of a user', async () => {
  const admin = await product.newOrganization();
  const text = () =>
    Array.from({ length: 10_000 }, () => String.fromCodePoint(0x20000 + randomInt(0xa6df))).join('');
  const last: Record<string, string> = {};
  for (const isShared of [true, false]) {
    let response = await create(admin, { template: text(), isShared });
    let count = 0;
    for (; response.status === 201; count += 1) {
      last[String(isShared)] = response.body.data._id;
      response = await create(admin, { template: text(), isShared });
    }
    expect(count).toBe(52);
    expect(outcome(response)).toEqual(failure(409, expect.stringMatching(/at most 2 MB together/)));
  }
  expect(await list(admin)).toHaveLength(104);

  const [shared, own] = [last.true ?? '', last.false ?? ''];
  expect((await update(admin, own, { isShared: true })).status).toBe(409);
  expect((await update(admin, own, { template: 'Shorter' })).status).toBe(200);
  expect((await create(admin, { template: text() })).status).toBe(201);
  expect((await remove(admin, shared)).status).toBe(200);
  expect((await create(admin, { template: text(), isShared: true })).status).toBe(201);
  expect((await create(admin, { template: text(), isShared: true })).status).toBe(409);
});
