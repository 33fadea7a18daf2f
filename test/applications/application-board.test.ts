import { faker } from '@faker-js/faker';
import { expect, test } from 'vitest';
import type { Application } from '../../shared/contact-aggregate/application.ts';
import { type ModelQuery, modelBoard, toModel } from '../contacts/board-model.ts';
import { type ContactRecord, contactsClient, touch } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { applicationsClient } from './client.ts';

const tenants = await setUpTenants();
const { product } = tenants;

const stages = ['Submitted', 'In review', 'Approved', 'Declined'];
const clientOf = (person: Person) => applicationsClient(product, person);
const contactsOf = (person: Person) => contactsClient(product, person);
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

test('POST /api/contacts with pipelineType Application returns, by stage, the contacts of the applications, each with its applicationId', async () => {
  const admin = await product.newOrganization();
  const contact = await contactsOf(admin).created({ firstName: 'Ada' }, minutesAgo(90));
  const application = await clientOf(admin).created({ contactId: contact._id, name: 'Loan' });
  const { body } = await contactsOf(admin).list({ pipelineType: 'Application' });
  expect(Object.keys(body)).toEqual(['data', 'stageIdByName']);
  expect(Object.keys(body.data)).toEqual(stages);
  expect(Object.keys(body.stageIdByName)).toEqual(stages);
  expect(body.data.Submitted).toEqual({
    contacts: [{ ...contact, applicationId: application._id }],
    total: 1,
  });
  // The contact keeps its own place, of another pipeline; on its own board it has no applicationId.
  expect(body.data.Submitted.contacts[0]).toMatchObject({ stage: 'New', stageId: contact.stageId });
  expect((await contactsOf(admin).board()).New).toEqual({ contacts: [contact], total: 1 });
});

test('POST /api/contacts with pipelineType Application shows the same board for the id of an Application pipeline, whatever the type says', async () => {
  const admin = await product.newOrganization();
  const { _id: contactId } = await contactsOf(admin).created({ firstName: 'Ada' });
  const jobs = { name: 'Jobs', type: 'Application', stages: ['Sent'] } as const;
  const pipeline = await pipelinesClient(product, admin).created(jobs);
  await clientOf(admin).created({ contactId, name: 'Job', pipelineId: pipeline._id });
  for (const pipelineType of ['Contact', 'Application']) {
    const board = await contactsOf(admin).board({ pipelineId: pipeline._id, pipelineType });
    expect(board).toMatchObject({ Sent: { total: 1, contacts: [{ _id: contactId, stage: 'New' }] } });
  }
});

test('POST /api/contacts with pipelineType Application lists the newest application first, and a contact once for each of its applications', async () => {
  const admin = await product.newOrganization();
  const [young, old] = [
    await contactsOf(admin).created({ firstName: 'Young' }, minutesAgo(5)),
    await contactsOf(admin).created({ firstName: 'Old' }, minutesAgo(500)),
  ];
  await clientOf(admin).created({ contactId: young._id, name: 'a' }, minutesAgo(3));
  await clientOf(admin).created({ contactId: old._id, name: 'b' }, minutesAgo(2));
  await clientOf(admin).created({ contactId: young._id, name: 'c' }, minutesAgo(1));
  const { contacts = [], total } = (await clientOf(admin).board()).Submitted ?? {};
  expect(contacts.map(({ firstName }) => firstName)).toEqual(['Young', 'Old', 'Young']);
  expect(new Set(contacts.map(({ applicationId }) => applicationId)).size).toBe(3);
  expect(total).toBe(3);
  const second = await clientOf(admin).board({ size: 2, page: { Submitted: 2 } });
  expect(second.Submitted).toMatchObject({
    total: 3,
    contacts: [{ applicationId: contacts[2]?.applicationId }],
  });
});

test('An edit of the name of a contact, its place and its messages show at once', async () => {
  const admin = await product.newOrganization();
  const contacts = contactsOf(admin);
  const { _id } = await contacts.created({
    firstName: 'Before',
    phoneNumbers: [{ value: newPhoneNumber() }],
  });
  const { _id: applicationId } = await clientOf(admin).created({ contactId: _id, name: 'Loan' });
  const card = async () => (await clientOf(admin).board()).Submitted?.contacts;
  const edited = expectStatus(
    await contacts.update(_id, { firstName: 'After', email: 'a@example.com' }),
    200,
  );
  expect(await card()).toEqual([{ ...edited.data, applicationId }]);
  const moved = expectStatus(await contacts.move(_id, { stage: 'Won' }), 200);
  expect(moved.data.stage).toBe('Won');
  expect(await card()).toEqual([{ ...moved.data, applicationId }]);
  await touch(product, admin.organizationId, _id, {
    lastMessageAt: new Date().toISOString(),
    lastMessageDirection: 'inbound',
  });
  expect(await card()).toMatchObject([{ lastMessageDirection: 'inbound' }]);
  expect((await clientOf(admin).board({ messageStatus: 'unanswered' })).Submitted?.total).toBe(1);
});

test('A contact that changes hands shows at once: the former rep’s board loses it, the new one’s has it', async () => {
  const { admin, rep, otherRep } = tenants;
  const contacts = contactsOf(admin);
  const { _id: contactId } = await contacts.created({ firstName: 'Handed on', owner: rep.userId });
  const { _id } = await clientOf(admin).created({ contactId, name: 'Loan' });
  const shows = async (person: Person) =>
    (await clientOf(person).everything()).some(({ applicationId }) => applicationId === _id);
  expect([await shows(rep), await shows(otherRep)]).toEqual([true, false]);
  expectStatus(await contacts.update(contactId, { owner: otherRep.userId }), 200);
  expect([await shows(rep), await shows(otherRep)]).toEqual([false, true]);
});

test('What happens to a contact, and the moves and removals of its five applications in one stage, which count side by side, show at once', async () => {
  const admin = await product.newOrganization();
  const total = async () => (await clientOf(admin).board()).Submitted?.total;
  for (let n = 0; n < 4; n += 1) {
    const { _id: contactId } = await contactsOf(admin).created({ firstName: 'Keen' });
    const ids = [];
    for (let count = 0; count < 5; count += 1) {
      ids.push((await clientOf(admin).created({ contactId, name: 'Loan' }))._id);
    }
    expectStatus(await contactsOf(admin).update(contactId, { firstName: 'Keener' }), 200);
    expect(await total()).toBe(5);
    for (const id of ids.slice(0, 2)) {
      expectStatus(await clientOf(admin).move(id, { stage: 'Approved' }), 200);
    }
    expect(await total()).toBe(3);
    expectStatus(await clientOf(admin).remove(ids[2] ?? ''), 200);
    expect(await total()).toBe(2);
    expect((await clientOf(admin).everything()).map(({ firstName }) => firstName)).toEqual(
      Array(4).fill('Keener'),
    );
    expectStatus(await contactsOf(admin).remove(contactId), 200);
    expect(await clientOf(admin).everything()).toEqual([]);
  }
});

const records = new Map<string, ContactRecord & { conversationAssignees: string[] }>();
const applications: Application[] = [];
faker.seed(120);
const admin = await product.newOrganization();
const colleagues = await Promise.all([product.newColleague(admin), product.newColleague(admin)]);
const users = [admin, ...colleagues].map(({ userId }) => userId);
const pick = faker.helpers.arrayElement;
for (let n = 0; n < 40; n += 1) {
  const record = await contactsOf(admin).created(
    {
      firstName: faker.person.firstName(),
      lastName: faker.person.lastName(),
      phoneNumbers: [{ value: newPhoneNumber() }],
      source: pick(['Website', 'Referral', null]),
      owner: pick([null, ...users]),
      customFields: { city: pick(['Oslo', 'Osaka', 'Lima']), size: pick([1, 2, 3]) },
      isBulkImport: faker.datatype.boolean(),
    },
    minutesAgo(10_000 + n),
  );
  const touched = faker.datatype.boolean()
    ? {
        lastMessageAt: minutesAgo(faker.number.int({ min: 1, max: 5_000 })).toISOString(),
        lastMessageDirection: pick(['inbound', 'outbound'] as const),
        conversationAssignees: faker.helpers.arrayElements(users, { min: 0, max: 2 }),
      }
    : {};
  await touch(product, admin.organizationId, record._id, touched);
  records.set(record._id, toModel(record, touched));
  for (let count = 0; count < 3; count += 1) {
    const body = { contactId: record._id, name: 'Loan', stage: pick(stages) };
    applications.push(await clientOf(admin).created(body, minutesAgo(faker.number.int({ max: 9_000 }))));
  }
}

/** The board by what each application shows: its contact, sorted and cut by the application's own time. */
const expected = (query: ModelQuery) => {
  const rows = applications.flatMap(({ _id, contactId, stage, createdAt }) => {
    const record = records.get(contactId);
    return record === undefined ? [] : [{ ...record, _id, stage, createdAt }];
  });
  const { source: _, ...honoured } = query;
  const viewer = { userId: admin.userId, scope: 'organization' as const, team: [admin.userId] };
  return [...modelBoard(rows, stages, honoured, viewer, new Date()).values()].flat();
};

test.each<[string, () => ModelQuery]>([
  ['none', () => ({})],
  ['a search for a name', () => ({ search: [...records.values()][3]?.firstName.toUpperCase() ?? '' })],
  [
    'a search for a number',
    () => ({ search: [...records.values()][5]?.phoneNumbers[0]?.value.slice(3, 9) ?? '' }),
  ],
  ['my', () => ({ ownerFilter: 'my' })],
  ['unassigned', () => ({ ownerFilter: 'unassigned' })],
  ['a user', () => ({ ownerFilter: [...records.values()].find(({ owner }) => owner)?.owner ?? '' })],
  ['conversation assignees', () => ({ assignee: [admin.userId] })],
  ['one stage', () => ({ status: 'Approved' })],
  ['stages in another order', () => ({ stages: ['Declined', 'Submitted'] })],
  ['custom fields', () => ({ customFilters: { city: '^os', size: [1, 3] } })],
  [
    'a window of creation',
    () => ({
      createdDateRange: { start: minutesAgo(6_000).toISOString(), end: minutesAgo(600).toISOString() },
    }),
  ],
  ['the legacy window', () => ({ dateRange: { end: minutesAgo(3_000).toISOString() } })],
  ['bulk imports', () => ({ bulkOnly: true })],
  ['answered', () => ({ messageStatus: 'answered' })],
  ['silence', () => ({ lastMessageTimeRange: { value: 30, unit: 'hours' } })],
  [
    'a window of the last message',
    () => ({ lastMessageDateRange: { start: minutesAgo(2_000).toISOString() } }),
  ],
  ['a source, which boards of contacts alone have', () => ({ source: 'Website' })],
  ['several at once', () => ({ bulkOnly: true, customFilters: { city: 'o' }, ownerFilter: 'my' })],
])('120 applications under filters show what matches, in order, with exact totals: %s', async (_, query) => {
  const shown = (await clientOf(admin).everything({ ...query() })).map(({ applicationId }) => applicationId);
  expect(shown).toEqual(expected(query()));
});

test('120 applications under filters find some and leave some out', () => {
  for (const query of [{ search: 'a' }, { ownerFilter: 'unassigned' }, { bulkOnly: true }]) {
    expect(expected(query).length).toBeGreaterThan(0);
    expect(expected(query).length).toBeLessThan(applications.length);
  }
});
