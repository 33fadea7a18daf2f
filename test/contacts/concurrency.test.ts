import { faker } from '@faker-js/faker';
import { expect, test } from 'vitest';
import type { Application } from '../../shared/contact-aggregate/application.ts';
import { applicationsClient } from '../applications/client.ts';
import type { ApiResponse } from '../harness/call.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { countStatuses, newPhoneNumber } from '../harness/tenants.ts';
import { modelBoard, toModel, type Viewer } from './board-model.ts';
import { type ContactRecord, type ContactsClient, contactsClient, newContactsClient } from './client.ts';
import { inOrder, rawContacts, toRaw } from './raw-table.ts';

const { product, admin, head, rep, otherRep, otherHead } = await setUpTenants();

const stages = ['New', 'Contacted', 'Qualified', 'Won', 'Lost'];

/** Each contact as reading it alone shows it. */
async function recordsOf(contacts: ContactsClient, ids: readonly string[]): Promise<ContactRecord[]> {
  const records = [];
  for (const id of ids) {
    records.push((await contacts.read(id)).body.data);
  }
  return records;
}

async function expectWholeTable(
  contacts: ContactsClient,
  { organizationId }: Person,
): Promise<ContactRecord[]> {
  const raw = await rawContacts(product, organizationId);
  const records = await recordsOf(contacts, raw.contacts);
  expect(inOrder(raw)).toEqual(inOrder(toRaw(records)));
  return records;
}

const [operations, writers] = [2_000, 16];
const responses: ApiResponse[] = [];
const living = new Set<string>();

faker.seed(2_000);
const people = [admin, head, rep, otherRep, otherHead].map(({ userId }) => userId);
// Few numbers, so that writers fight for them.
const numbers = Array.from({ length: 150 }, newPhoneNumber);
const contacts = contactsClient(product, admin);
const clients = [contacts, contactsClient(product, rep), contactsClient(product, head)];
const pick = faker.helpers.arrayElement;
const fields = () => ({
  ...(faker.datatype.boolean() ? { owner: pick([null, ...people]) } : {}),
  ...(faker.datatype.boolean() ? { assignees: faker.helpers.arrayElements(people, { min: 0, max: 3 }) } : {}),
  ...(faker.datatype.boolean()
    ? { phoneNumbers: faker.helpers.arrayElements(numbers, { min: 0, max: 2 }).map((value) => ({ value })) }
    : {}),
});

const applicationStages = ['Submitted', 'In review', 'Approved', 'Declined'];
const applications = applicationsClient(product, admin);
const made: string[] = [];
const someApplication = () => pick(['none', ...made.slice(-30)]);

type Kind = 'create' | 'move' | 'edit' | 'delete' | 'apply' | 'proceed' | 'withdraw';
const act: Record<Kind, (id: string) => Promise<ApiResponse>> = {
  async create() {
    const response = await pick(clients).create({
      firstName: faker.person.firstName(),
      ...fields(),
      stage: pick(stages),
    });
    if (response.status === 201) {
      living.add(response.body.data._id);
    }
    return response;
  },
  move: (id) => contacts.move(id, { stage: pick(stages) }),
  edit: (id) => contacts.update(id, { lastName: faker.person.lastName(), ...fields() }),
  async delete(id) {
    const response = await contacts.remove(id);
    if (response.status === 200) {
      living.delete(id);
    }
    return response;
  },
  async apply(contactId) {
    const by = applicationsClient(product, pick([admin, rep]));
    const response = await by.create({ contactId, name: 'Loan', stage: pick(applicationStages) });
    if (response.status === 201) {
      made.push(response.body.data._id);
    }
    return response;
  },
  proceed: () => applications.move(someApplication(), { stage: pick(applicationStages) }),
  withdraw: () => applications.remove(someApplication()),
};
const kinds = faker.helpers.weightedArrayElement<keyof typeof act>;
let begun = 0;
const writer = async () => {
  while (begun < operations) {
    begun += 1;
    // The youngest are chosen most, so that writers meet on the same contacts.
    const id = pick(['none', ...[...living].slice(-30)]);
    const kind =
      living.size === 0
        ? 'create'
        : kinds([
            { value: 'create', weight: 35 },
            { value: 'move', weight: 25 },
            { value: 'edit', weight: 25 },
            { value: 'delete', weight: 15 },
            { value: 'apply', weight: 25 },
            { value: 'proceed', weight: 10 },
            { value: 'withdraw', weight: 5 },
          ]);
    responses.push(await act[kind](id));
  }
};
await Promise.all(Array.from({ length: writers }, writer));

test('2,000 random changes of contacts and their applications by 16 writers at once all get a response, none is turned away, and their conflicts cost little', () => {
  const counts = countStatuses(responses);
  expect(responses).toHaveLength(operations);
  expect(Object.keys(counts)).toEqual(['200', '201', '404', '409']);
  // Four, as a rule: what is fought for is read and written again, however fast the machine.
  const requests = responses.reduce((sum, { consumed }) => sum + (consumed?.requests ?? 0), 0);
  expect(requests / operations).toBeLessThan(8);
});

const left = await rawContacts(product, admin.organizationId);
const records = await recordsOf(contacts, left.contacts);
const remaining: Application[] = [];
for (const id of made) {
  const { status, body } = await applications.read(id);
  if (status === 200) {
    remaining.push(body.data);
  }
}

test('2,000 random changes of contacts and their applications by 16 writers at once leave the contacts that were created and not deleted, with their applications, entries, counters and phone locks', () => {
  expect(inOrder(left)).toEqual(inOrder(toRaw(records, remaining)));
  expect(new Set(records.map(({ _id }) => _id))).toEqual(living);
  expect(records.length).toBeGreaterThan(100);
  expect(remaining.length).toBeGreaterThan(50);
});

test('2,000 random changes of contacts and their applications by 16 writers at once leave an Application board that shows each application once, with its contact as it is, to those who see the contact', async () => {
  const shownTo = (ids: readonly string[] | undefined) =>
    applicationStages.flatMap((stage) =>
      remaining
        .filter((application) => application.stage === stage)
        .sort((a, b) => (`${a.createdAt} ${a._id}` < `${b.createdAt} ${b._id}` ? 1 : -1))
        .map(({ _id, contactId }) => ({
          ...(records.find((record) => record._id === contactId) as ContactRecord),
          applicationId: _id,
        }))
        .filter(({ createdBy, owner, assignees }) =>
          [createdBy, owner, ...assignees].some((id) => ids?.includes(id ?? '') ?? true),
        ),
    );
  for (const [person, ids] of [
    [admin, undefined],
    [rep, [rep.userId]],
    [otherRep, [otherRep.userId]],
    [head, [head.userId, rep.userId]],
  ] as const) {
    const expected = shownTo(ids);
    expect(expected.length).toBeGreaterThan(0);
    expect(await applicationsClient(product, person).everything()).toEqual(expected);
  }
});

test('2,000 random changes of contacts and their applications by 16 writers at once leave totals that equal what paging counts, for everyone under every owner filter', async () => {
  const team = [head.userId, rep.userId];
  const viewers: [Person, Viewer['scope'], string[]][] = [
    [admin, 'organization', [admin.userId]],
    [head, team, team],
    [rep, [rep.userId], team],
    [otherRep, [otherRep.userId], [otherRep.userId]],
    [otherHead, [otherHead.userId], [otherHead.userId]],
  ];
  const modelled = records.map((record) => toModel(record));
  for (const [person, scope, ownTeam] of viewers) {
    const viewer = { userId: person.userId, scope, team: ownTeam };
    for (const ownerFilter of ['all', 'my', 'team', 'unassigned', rep.userId, admin.userId]) {
      const expected = modelBoard(modelled, stages, { ownerFilter }, viewer, new Date());
      const shown = await contactsClient(product, person).everything({ ownerFilter });
      expect(shown.map(({ _id }) => _id)).toEqual([...expected.values()].flat());
    }
  }
});

test('2,000 random changes of contacts and their applications by 16 writers at once leave one event for each successful change', async () => {
  const events = await readEvents(product, admin.organizationId);
  const count = (name: string) => events.filter(({ event }) => event === name).length;
  const created = (countStatuses(responses)[201] ?? 0) - made.length;
  expect(count('contact_created')).toBe(created);
  expect(count('contact_removed')).toBe(created - living.size);
});

test('Simultaneous changes of one contact lose no field when each edits another', async () => {
  const contacts = await newContactsClient(product);
  const { _id } = await contacts.created({ firstName: 'Before' });
  const edits = {
    firstName: 'After',
    lastName: 'Edits',
    email: 'after@example.com',
    source: 'Race',
    tags: ['a'],
    customFields: { a: 1 },
    isBulkImport: true,
    owner: null,
    phoneNumbers: [{ value: newPhoneNumber(), label: '', isPrimary: true }],
  };
  const responses = await Promise.all([
    ...Object.entries(edits).map(([field, value]) => contacts.update(_id, { [field]: value })),
    contacts.move(_id, { stage: 'Won' }),
  ]);
  expect(countStatuses(responses)).toEqual({ 200: 10 });
  expect(await expectWholeTable(contacts, contacts.admin)).toMatchObject([{ ...edits, stage: 'Won' }]);
  expect(await readEvents(product, contacts.admin.organizationId)).toHaveLength(11);
});
