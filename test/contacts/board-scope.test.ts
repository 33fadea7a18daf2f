import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../harness/product.ts';
import { expectStatus, newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { contactsClient } from './client.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.stop());

const boardOf = (person: Person, body: Record<string, unknown> = {}) =>
  contactsClient(world.product, person).board(body);

const create = (person: Person, body: Record<string, unknown>) =>
  contactsClient(world.product, person).created(body);

describe('whose contacts', () => {
  let byRep: string;
  let unowned: string;
  let assignedToRep: string;
  let strangers: string;
  beforeAll(async () => {
    const { admin, rep, stranger } = world;
    byRep = (await create(rep, { firstName: 'by rep' }))._id;
    unowned = (await create(admin, { firstName: 'unowned', owner: null }))._id;
    assignedToRep = (await create(admin, { firstName: 'assigned', owner: null, assignees: [rep.userId] }))
      ._id;
    strangers = (await create(stranger, { firstName: 'strangers' }))._id;
  });
  const idsOf = async (person: Person, body: Record<string, unknown> = {}) => {
    const board = await boardOf(person, body);
    const ids = Object.values(board).flatMap(({ contacts }) => contacts.map(({ _id }) => _id));
    expect(Object.values(board).reduce((sum, { total }) => sum + total, 0)).toBe(ids.length);
    return new Set(ids);
  };

  it('an ADMIN sees everyone’s', async () => {
    expect(await idsOf(world.admin)).toEqual(new Set([byRep, unowned, assignedToRep, strangers]));
  });

  it('a SALES_REP sees what they created, own or are assigned to, whatever they ask for', async () => {
    const own = new Set([byRep, assignedToRep]);
    for (const ownerFilter of ['all', 'my', 'team', world.rep.userId]) {
      expect(await idsOf(world.rep, { ownerFilter })).toEqual(own);
    }
    expect(await idsOf(world.rep, { ownerFilter: world.stranger.userId })).toEqual(new Set());
    expect(await idsOf(world.rep, { owner: [world.stranger.userId] })).toEqual(new Set());
    expect(await idsOf(world.rep, { ownerFilter: 'unassigned' })).toEqual(new Set());
    expect(await idsOf(world.rep, { search: 'strangers' })).toEqual(new Set());
  });

  it('a DEPARTMENT_HEAD sees those of the members of their departments', async () => {
    expect(await idsOf(world.head)).toEqual(new Set([byRep, assignedToRep]));
    expect(await idsOf(world.otherHead)).toEqual(new Set());
  });

  it('`my` asks for the caller’s, a user id for that user’s, `unassigned` for nobody’s', async () => {
    expect(await idsOf(world.admin, { ownerFilter: 'my' })).toEqual(new Set([unowned, assignedToRep]));
    expect(await idsOf(world.admin, { ownerFilter: world.rep.userId })).toEqual(
      new Set([byRep, assignedToRep]),
    );
    expect(await idsOf(world.admin, { ownerFilter: 'unassigned' })).toEqual(new Set([unowned]));
    expect(await idsOf(world.admin, { ownerFilter: 'nobody-of-this-name' })).toEqual(new Set());
  });

  it('`owner` overrides `ownerFilter`, and counts a contact of several of the users once', async () => {
    const owner = [world.rep.userId, world.admin.userId];
    expect(await idsOf(world.admin, { owner, ownerFilter: 'unassigned' })).toEqual(
      new Set([byRep, unowned, assignedToRep]),
    );
    expect(await idsOf(world.admin, { owner: [] })).toEqual(
      new Set([byRep, unowned, assignedToRep, strangers]),
    );
  });

  it('another organization sees none of them', async () => {
    expect(await idsOf(world.foreigner)).toEqual(new Set());
    expect(await idsOf(world.foreigner, { ownerFilter: world.rep.userId })).toEqual(new Set());
  });

  it('a SUPERADMIN sees an organization’s when they name it', async () => {
    const { body } = await world.product.call('list-contacts-by-stage', {
      token: world.superadmin.token,
      headers: { 'x-organization-id': world.admin.organizationId },
      body: {},
    });
    expect(body.data.New.total).toBe(4);
    expect(await idsOf(world.superadmin)).toEqual(new Set());
  });
});

describe('a contact that changes hands', () => {
  it('leaves the board of the former owner and enters the new owner’s', async () => {
    const admin = await world.product.newOrganization();
    const [anna, ben] = await Promise.all([
      world.product.newColleague(admin),
      world.product.newColleague(admin),
    ]);
    const contact = await create(admin, {
      firstName: 'Moving',
      owner: anna.userId,
      phoneNumbers: [{ value: newPhoneNumber() }],
    });
    expect((await boardOf(anna)).New).toMatchObject({ contacts: [{ firstName: 'Moving' }] });
    const update = { path: { id: contact._id }, token: admin.token, body: { owner: ben.userId } };
    expectStatus(await world.product.call('update-contact', update), 200);
    expect(await boardOf(anna, { stages: ['New'] })).toEqual({ New: { contacts: [], total: 0 } });
    expect((await boardOf(ben)).New).toMatchObject({ contacts: [{ firstName: 'Moving' }] });
    expect(
      (await world.product.call('read-contact', { path: { id: contact._id }, token: anna.token })).status,
    ).toBe(404);
  });
});
