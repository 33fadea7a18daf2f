import { faker } from '@faker-js/faker';
import { expect, test } from 'vitest';
import type { Application } from '../../shared/contact-aggregate/application.ts';
import { type ContactRecord, contactsClient } from '../contacts/client.ts';
import { columnOf, rawContacts } from '../contacts/raw-table.ts';
import type { ApiResponse } from '../harness/call.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { applicationsClient } from './client.ts';

const world = await setUpWorld();
const { product, head, rep, stranger } = world;

const stages = ['Submitted', 'In review', 'Approved', 'Declined'];
const contactStages = ['New', 'Contacted', 'Won'];

const [operations, writers] = [500, 8];
const responses: ApiResponse[] = [];
const contacts = new Set<string>();
const made = new Set<string>();

faker.seed(500);
const admin = world.admin;
const people = [admin, rep, stranger].map(({ userId }) => userId);
const [onContacts, onApplications] = [contactsClient(product, admin), applicationsClient(product, admin)];
const pick = faker.helpers.arrayElement;
// The youngest are chosen most, so that writers meet on the same contacts.
const some = (ids: Set<string>) => pick(['none', ...[...ids].slice(-12)]);
const kept = (ids: Set<string>, response: ApiResponse) => {
  if (response.status === 201) {
    ids.add(response.body.data._id);
  }
  return response;
};
const act: Record<string, () => Promise<ApiResponse>> = {
  createContact: async () =>
    kept(contacts, await onContacts.create({ firstName: faker.person.firstName(), owner: pick(people) })),
  editContact: () =>
    onContacts.update(some(contacts), {
      firstName: faker.person.firstName(),
      owner: pick([null, ...people]),
      assignees: faker.helpers.arrayElements(people, { min: 0, max: 2 }),
    }),
  moveContact: () => onContacts.move(some(contacts), { stage: pick(contactStages) }),
  deleteContact: () => onContacts.remove(some(contacts)),
  create: async () =>
    kept(
      made,
      await applicationsClient(product, pick([admin, rep])).create({
        contactId: some(contacts),
        name: 'Loan',
        stage: pick(stages),
      }),
    ),
  move: () => onApplications.move(some(made), { stage: pick(stages) }),
  remove: () => onApplications.remove(some(made)),
};
const kinds = [
  ...['createContact', 'createContact', 'editContact', 'editContact', 'moveContact', 'deleteContact'],
  ...['create', 'create', 'create', 'create', 'move', 'move', 'remove'],
];
let begun = 0;
const writer = async () => {
  while (begun < operations) {
    begun += 1;
    responses.push((await act[pick(kinds)]?.()) as ApiResponse);
  }
};
await Promise.all(Array.from({ length: writers }, writer));
/** Contacts and applications as reading each alone shows them. */
const records: Map<string, ContactRecord> = new Map();
for (const id of contacts) {
  const { status, body } = await onContacts.read(id);
  if (status === 200) {
    records.set(id, body.data);
  }
}
const applications: Application[] = [];
for (const id of made) {
  const { status, body } = await onApplications.read(id);
  if (status === 200) {
    applications.push(body.data);
  }
}

test('500 random changes of contacts and their applications by 8 writers at once all get a response, and none fails', () => {
  expect(responses).toHaveLength(operations);
  expect(responses.filter(({ status }) => ![200, 201, 404, 409].includes(status))).toEqual([]);
  expect(records.size).toBeGreaterThan(20);
  expect(applications.length).toBeGreaterThan(20);
});

test('500 random changes of contacts and their applications by 8 writers at once leave an Application board that shows each application once, with its contact as it is', async () => {
  const shown = await applicationsClient(product, admin).everything();
  const expected = stages.flatMap((stage) =>
    applications
      .filter((application) => application.stage === stage)
      .sort((a, b) => (`${a.createdAt} ${a._id}` < `${b.createdAt} ${b._id}` ? 1 : -1))
      .map(({ _id, contactId }) => ({ ...records.get(contactId), applicationId: _id })),
  );
  expect(shown).toEqual(expected);
});

test('500 random changes of contacts and their applications by 8 writers at once leave totals that equal what paging counts, for those who see a part as well', async () => {
  for (const [person, ids] of [
    [rep, [rep.userId]],
    [stranger, [stranger.userId]],
    [head, [head.userId, rep.userId]],
  ] as const) {
    const shown = await applicationsClient(product, person).everything();
    const visible = applications.filter(({ contactId }) => {
      const { createdBy, owner, assignees = [] } = records.get(contactId) ?? {};
      return [createdBy, owner, ...assignees].some((id) => ids.some((own) => own === id));
    });
    expect(visible.length).toBeGreaterThan(0);
    expect(new Set(shown.map(({ applicationId }) => applicationId))).toEqual(
      new Set(visible.map(({ _id }) => _id)),
    );
    expect(shown).toHaveLength(visible.length);
  }
});

test('500 random changes of contacts and their applications by 8 writers at once leave no entry and no count of anything that is gone', async () => {
  const raw = await rawContacts(product, admin.organizationId);
  expect(raw.negative).toEqual([]);
  const ids = new Set(raw.entries.map((entry) => entry.slice(entry.lastIndexOf('#') + 1)));
  expect(ids).toEqual(new Set([...records.keys(), ...applications.map(({ _id }) => _id)]));
  const counted = new Map<string, number>();
  for (const entry of raw.entries) {
    const column = columnOf(entry);
    counted.set(column, (counted.get(column) ?? 0) + 1);
  }
  expect([...raw.counts].filter(([, count]) => count !== 0).sort()).toEqual([...counted].sort());
});
