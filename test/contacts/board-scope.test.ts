import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { contactsClient } from './client.ts';

const { product, superadmin, admin, head, rep, otherRep, otherHead } = await setUpTenants();

const boardOf = (person: Person, body: Record<string, unknown> = {}) =>
  contactsClient(product, person).board(body);

const create = (person: Person, body: Record<string, unknown>) =>
  contactsClient(product, person).created(body);

const byRep = (await create(rep, { firstName: 'by rep' }))._id;
const unowned = (await create(admin, { firstName: 'unowned', owner: null }))._id;
const assignedToRep = (await create(admin, { firstName: 'assigned', owner: null, assignees: [rep.userId] }))
  ._id;
const byOtherRep = (await create(otherRep, { firstName: 'unrelated' }))._id;
const idsOf = async (person: Person, body: Record<string, unknown> = {}) => {
  const board = await boardOf(person, body);
  const ids = Object.values(board).flatMap(({ contacts }) => contacts.map(({ _id }) => _id));
  expect(Object.values(board).reduce((sum, { total }) => sum + total, 0)).toBe(ids.length);
  return new Set(ids);
};

test('An ADMIN sees everyone’s contacts', async () => {
  expect(await idsOf(admin)).toEqual(new Set([byRep, unowned, assignedToRep, byOtherRep]));
});

test('A SALES_REP sees the contacts that they created, own or are assigned to, whatever they ask for', async () => {
  const own = new Set([byRep, assignedToRep]);
  for (const ownerFilter of ['all', 'my', 'team', rep.userId]) {
    expect(await idsOf(rep, { ownerFilter })).toEqual(own);
  }
  expect(await idsOf(rep, { ownerFilter: otherRep.userId })).toEqual(new Set());
  expect(await idsOf(rep, { owner: [otherRep.userId] })).toEqual(new Set());
  expect(await idsOf(rep, { ownerFilter: 'unassigned' })).toEqual(new Set());
  expect(await idsOf(rep, { search: 'unrelated' })).toEqual(new Set());
});

test('A DEPARTMENT_HEAD sees the contacts of the members of their departments', async () => {
  expect(await idsOf(head)).toEqual(new Set([byRep, assignedToRep]));
  expect(await idsOf(otherHead)).toEqual(new Set());
});

test('`my` asks for the caller’s contacts, a user id for that user’s, `unassigned` for nobody’s', async () => {
  expect(await idsOf(admin, { ownerFilter: 'my' })).toEqual(new Set([unowned, assignedToRep]));
  expect(await idsOf(admin, { ownerFilter: rep.userId })).toEqual(new Set([byRep, assignedToRep]));
  expect(await idsOf(admin, { ownerFilter: 'unassigned' })).toEqual(new Set([unowned]));
  expect(await idsOf(admin, { ownerFilter: 'nobody-of-this-name' })).toEqual(new Set());
});

test('`owner` overrides `ownerFilter`, and counts a contact of several of the users once', async () => {
  const owner = [rep.userId, admin.userId];
  expect(await idsOf(admin, { owner, ownerFilter: 'unassigned' })).toEqual(
    new Set([byRep, unowned, assignedToRep]),
  );
  expect(await idsOf(admin, { owner: [] })).toEqual(new Set([byRep, unowned, assignedToRep, byOtherRep]));
});

test('A SUPERADMIN sees the contacts of an organization when they name it', async () => {
  const acting = contactsClient(product, superadmin, { 'x-organization-id': admin.organizationId });
  expect((await acting.board()).New?.total).toBe(4);
  expect(await idsOf(superadmin)).toEqual(new Set());
});

test('A contact that changes hands leaves the board of the former owner and enters the new owner’s', async () => {
  const admin = await product.newOrganization();
  const [anna, ben] = await Promise.all([product.newColleague(admin), product.newColleague(admin)]);
  const contact = await create(admin, {
    firstName: 'Moving',
    owner: anna.userId,
    phoneNumbers: [{ value: newPhoneNumber() }],
  });
  expect((await boardOf(anna)).New).toMatchObject({ contacts: [{ firstName: 'Moving' }] });
  const update = { path: { id: contact._id }, token: admin.token, body: { owner: ben.userId } };
  expectStatus(await product.call('update-contact', update), 200);
  expect(await boardOf(anna, { stages: ['New'] })).toEqual({ New: { contacts: [], total: 0 } });
  expect((await boardOf(ben)).New).toMatchObject({ contacts: [{ firstName: 'Moving' }] });
  expect((await product.call('read-contact', { path: { id: contact._id }, token: anna.token })).status).toBe(
    404,
  );
});
