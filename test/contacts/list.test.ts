import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { type ContactRecord, contactsClient, hoursAgo, newContactsClient } from './client.ts';

const { product, head, rep, otherRep, admin } = await setUpTenants();

type Query = Record<string, string>;
type Repeated = readonly (readonly [string, string])[];

const list = ({ token }: Person, query: Query = {}, repeated: Repeated = [], at?: Date) =>
  product.call('list-contacts', { token, query, repeated, at });
const listed = async (person: Person, query?: Query, repeated?: Repeated): Promise<ContactRecord[]> =>
  expectStatus(await list(person, query, repeated), 200).data;
const names = async (person: Person, query?: Query, repeated?: Repeated) =>
  (await listed(person, query, repeated)).map(({ firstName }) => firstName);

/** All pages of a list. */
async function everything(person: Person, query: Query): Promise<ContactRecord[]> {
  const all: ContactRecord[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = expectStatus(await list(person, { ...query, ...(cursor && { cursor }) }), 200);
    all.push(...page.data);
    cursor = page.nextCursor;
  }
  return all;
}

const own = await newContactsClient(product);
const colleague = await product.newColleague(own.admin);
const { _id: side } = await pipelinesClient(product, own.admin).created({
  name: 'Side',
  stages: ['New', 'Old'],
});
const stages = ['New', 'Won', 'Lost'];
for (let n = 0; n < 24; n += 1) {
  await own.created(
    {
      firstName: `C${n}`,
      lastName: n % 4 === 0 ? 'Müller' : 'Other',
      ...(n % 5 === 0 ? { pipelineId: side, stage: 'Old' } : { stage: stages[n % 3] }),
      owner: n % 3 === 0 ? colleague.userId : null,
      source: n % 2 === 0 ? 'Web' : 'Fair',
      tags: [...(n % 2 === 0 ? ['Even, really'] : []), ...(n % 3 === 0 ? ['three'] : [])],
      phoneNumbers: n === 7 ? [{ value: '+442079460958' }] : [],
    },
    hoursAgo(100 - n),
  );
}
// The order of updates is another one than that of creations.
for (const n of [3, 20, 11]) {
  const [contact] = await listed(own.admin, { search: `C${n} ` });
  await own.update(contact?._id ?? '', { lastName: 'Updated' }, hoursAgo(30 - n));
}
const all = (where: (n: number) => boolean = () => true) =>
  Array.from({ length: 24 }, (_, n) => 23 - n)
    .filter(where)
    .map((n) => `C${n}`);

test('Contacts of all pipelines are listed, the newest first, each as it is read', async () => {
  const records = await listed(own.admin);
  expect(records.map(({ firstName }) => firstName)).toEqual(all());
  for (const record of records.slice(0, 5)) {
    expect((await own.read(record._id)).body.data).toEqual(record);
  }
});

test.each(['-createdAt', 'createdAt', '-updatedAt', 'updatedAt'])(
  'Pages sorted by %s hold each contact once, in that order',
  async (sort) => {
    for (const limit of ['1', '5', '24', '100']) {
      const records = await everything(own.admin, { sort, limit });
      expect(new Set(records.map(({ _id }) => _id)).size).toBe(24);
      const field = sort.replace('-', '') as 'createdAt' | 'updatedAt';
      const times = records.map((record) => record[field]).sort();
      expect(records.map((record) => record[field])).toEqual(sort.startsWith('-') ? times.reverse() : times);
    }
  },
);

test.each<[string, Query, Repeated, (n: number) => boolean]>([
  ['a name, folded', { search: 'muller' }, [], (n) => n % 4 === 0],
  ['a phone number', { search: '020 7946 0958' }, [], (n) => n === 7],
  ['a pipeline', { pipelineId: side }, [], (n) => n % 5 === 0],
  ['a stage by name', { stage: 'won' }, [], (n) => n % 5 !== 0 && n % 3 === 1],
  [
    'several stages',
    {},
    [
      ['stage', 'Won'],
      ['stage', 'OLD'],
    ],
    (n) => n % 5 === 0 || n % 3 === 1,
  ],
  ['an unknown stage', { stage: 'Nowhere' }, [], () => false],
  ['a source', { source: 'WEB' }, [], (n) => n % 2 === 0],
  ['a tag with a comma', { tags: 'even, really' }, [], (n) => n % 2 === 0],
  [
    'one of several tags',
    {},
    [
      ['tags', 'Three'],
      ['tags', 'Even, Really'],
    ],
    (n) => n % 2 === 0 || n % 3 === 0,
  ],
  [
    'all of several tags',
    {},
    [
      ['tagsAll', 'three'],
      ['tagsAll', 'even, really'],
    ],
    (n) => n % 6 === 0,
  ],
  ['a tag that nobody has', { tags: 'nobody' }, [], () => false],
  ['people', { owner: colleague.userId }, [], (n) => n % 3 === 0],
  ['the ownership filter', { ownerFilter: 'unassigned' }, [], (n) => n % 3 !== 0],
  ['several filters', { search: 'müller', source: 'web', tags: 'three' }, [], (n) => n % 12 === 0],
])('The list is filtered by %s', async (_, query, repeated, where) => {
  // Updates changed three of the last names.
  const isUpdated = (n: number) => [3, 20, 11].includes(n);
  const expected = all((n) => where(n) && !(query.search?.startsWith('m') && isUpdated(n)));
  expect(await names(own.admin, query, repeated)).toEqual(expected);
});

test('The board takes the same filter by tags', async () => {
  const board = await own.board({ tags: ['Three'], tagsAll: ['even, REALLY'], size: 100 });
  const found = Object.values(board).flatMap(({ contacts }) => contacts.map(({ firstName }) => firstName));
  expect(found.sort()).toEqual(all((n) => n % 6 === 0 && n % 5 !== 0).sort());
});

test('Nobody lists contacts out of their scope, whatever they filter by', async () => {
  expect(await names(colleague)).toEqual(all((n) => n % 3 === 0));
  expect(await names(colleague, { ownerFilter: 'unassigned' })).toEqual([]);
  expect(await names(colleague, { owner: own.admin.userId })).toEqual(all((n) => n % 3 === 0));
  const mine = contactsClient(product, rep);
  const { _id } = await mine.created({ firstName: 'Scope', phoneNumbers: [{ value: newPhoneNumber() }] });
  const sees = async (person: Person) => (await listed(person)).some((contact) => contact._id === _id);
  expect(await Promise.all([rep, head, admin, otherRep, own.admin].map(sees))).toEqual([
    ...[true, true, true, false, false],
  ]);
});

test('A contact is listed by what it is at that moment: created, changed, moved, archived, restored and deleted', async () => {
  const { admin: person, ...contacts } = await newContactsClient(product);
  const { token } = person;
  const { _id } = await contacts.created({ firstName: 'A', tags: ['x'] });
  const archive = (name: string) => arrange(product.call(name, { token, path: { id: _id } }));
  expect(await names(person, { tags: 'x' })).toEqual(['A']);
  await arrange(contacts.update(_id, { firstName: 'B', tags: ['y'] }));
  expect([await names(person, { tags: 'x' }), await names(person, { tags: 'y' })]).toEqual([[], ['B']]);
  await arrange(contacts.move(_id, { stage: 'Won' }));
  expect([await names(person, { stage: 'New' }), await names(person, { stage: 'Won' })]).toEqual([[], ['B']]);
  await archive('archive-contact');
  expect(await names(person)).toEqual([]);
  await archive('restore-contact');
  expect(await names(person)).toEqual(['B']);
  await arrange(contacts.remove(_id));
  expect(await names(person)).toEqual([]);
});

test.each<[Query, string]>([
  [{ sort: 'name' }, 'sort must be one of'],
  [{ withDeleted: 'true' }, 'withDeleted needs updatedSince.'],
  [{ updatedSince: '2026-01-01', sort: 'createdAt' }, 'sort must be updatedAt with updatedSince.'],
  [{ updatedSince: 'yesterday' }, 'updatedSince must be an ISO 8601 date or date-time'],
])('A list with %j is refused, and the message says why', async (query, message) => {
  const { status, body } = await list(own.admin, query);
  expect({ status, message: body.message }).toEqual({
    status: 400,
    message: expect.stringContaining(message),
  });
});

test('A cursor of another order is none of this list', async () => {
  const { nextCursor } = expectStatus(await list(own.admin, { sort: 'createdAt', limit: '2' }), 200);
  const { status, body } = await list(own.admin, { sort: 'updatedAt', cursor: nextCursor });
  expect({ status, message: body.message }).toEqual({
    status: 400,
    message: 'cursor must be a nextCursor of this list',
  });
});
