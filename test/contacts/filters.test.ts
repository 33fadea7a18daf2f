import { faker } from '@faker-js/faker';
import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { type ModelContact, type ModelQuery, modelBoard, toModel, type Viewer } from './board-model.ts';
import { type ContactsClient, contactsClient, hoursAgo, type Touch, touch } from './client.ts';

/** For every board of this file. */
const now = new Date();

const stages = ['New', 'Contacted', 'Qualified', 'Won', 'Lost'];
const contacts: ModelContact[] = [];
const random = faker.number;

faker.seed(1815);
const tenants = await setUpTenants();
const { admin, head, rep, otherRep, otherHead } = tenants;
const team = [head.userId, rep.userId];
const as = (person: Person, scope: Viewer['scope'], ownTeam: string[]) => ({
  client: contactsClient(tenants.product, person),
  viewer: { userId: person.userId, scope, team: ownTeam },
});

const viewers: Record<string, { client: ContactsClient; viewer: Viewer }> = {
  admin: as(admin, 'organization', [admin.userId]),
  head: as(head, team, team),
  rep: as(rep, [rep.userId], team),
  otherRep: as(otherRep, [otherRep.userId], [otherRep.userId]),
  otherHead: as(otherHead, [otherHead.userId], [otherHead.userId]),
};
const people = [admin, head, rep, otherRep, otherHead].map(({ userId }) => userId);
const creators = Object.values(viewers);
for (let n = 0; n < 300; n += 1) {
  const { client } = faker.helpers.arrayElement(creators);
  // Few distinct moments, so that many contacts share one and the id must decide.
  const at = hoursAgo(random.int({ min: 1, max: 100 }) * 12, now);
  const record = await client.created(
    {
      firstName: faker.person.firstName(),
      lastName: faker.person.lastName(),
      phoneNumbers: faker.datatype.boolean() ? [{ value: newPhoneNumber() }] : [],
      owner: faker.helpers.arrayElement([null, ...people]),
      assignees: faker.helpers.arrayElements(people, { min: 0, max: 2 }),
      source: faker.helpers.arrayElement(['Web', 'web', 'Fair', null]),
      stage: faker.helpers.arrayElement(stages),
      isBulkImport: faker.datatype.boolean(),
      customFields: faker.helpers.arrayElement<Record<string, unknown>>([
        {},
        { city: faker.helpers.arrayElement(['London', 'Lima', 'Oslo']), size: random.int(3) },
        { vip: faker.datatype.boolean(), constructor: 'x' },
      ]),
    },
    at,
  );
  const touched: Touch = faker.datatype.boolean()
    ? {
        lastMessageAt: hoursAgo(random.int(100) * 3, now).toISOString(),
        lastMessageDirection: faker.helpers.arrayElement(['inbound', 'outbound']),
        conversationAssignees: faker.helpers.arrayElements(people, { min: 0, max: 2 }),
      }
    : {};
  await touch(tenants.product, admin.organizationId, record._id, touched);
  contacts.push(toModel(record, touched));
}

function randomRange(): { start?: string; end?: string } {
  const [a, b] = [random.int(1_200), random.int(1_200)].sort((x, y) => y - x) as [number, number];
  const [start, end] = [hoursAgo(a, now).toISOString(), hoursAgo(b, now).toISOString()];
  return faker.helpers.arrayElement([
    { start, end },
    { start },
    { end: end.slice(0, 10) },
    { start: start.slice(0, 10) },
  ]);
}

function randomQuery(): ModelQuery {
  const people = Object.values(viewers).map(({ viewer }) => viewer.userId);
  const { firstName, lastName, phoneNumbers } = faker.helpers.arrayElement(contacts);
  const all: Required<ModelQuery> = {
    search: faker.helpers.arrayElement([
      firstName.slice(1, 3).toUpperCase(),
      `${firstName} ${lastName}`.slice(2, -1),
      phoneNumbers[0]?.value.slice(2, 7) ?? '+999',
      'a',
    ]),
    ownerFilter: faker.helpers.arrayElement(['my', 'team', 'unassigned', 'all', ...people]),
    owner: faker.helpers.arrayElements([...people, 'nobody'], { min: 1, max: 3 }),
    assignee: faker.helpers.arrayElements([...people, 'nobody'], { min: 1, max: 3 }),
    source: faker.helpers.arrayElement(['Web', 'web', 'Nowhere']),
    status: faker.helpers.arrayElement(stages),
    stages: faker.helpers.arrayElements(stages, { min: 1, max: 4 }),
    customFilters: faker.helpers.arrayElement<NonNullable<ModelQuery['customFilters']>>([
      { city: '^l' },
      { city: 'o$|N', size: [0, 2] },
      { size: 1 },
      { vip: [true, false], constructor: 'X' },
      { vip: false },
    ]),
    createdDateRange: randomRange(),
    dateRange: randomRange(),
    bulkOnly: faker.datatype.boolean(),
    messageStatus: faker.helpers.arrayElement(['all', 'answered', 'unanswered']),
    lastMessageTimeRange: {
      value: random.int({ min: 1, max: 200 }),
      unit: faker.helpers.arrayElement(['hours', 'days']),
    },
    lastMessageDateRange: randomRange(),
  };
  const chosen = faker.helpers.arrayElements(Object.entries(all), { min: 0, max: 4 });
  return Object.fromEntries(chosen);
}

test('300 contacts under random filters show what a plain reading of the contract shows: whom, in which order, how many', async () => {
  let seen = 0;
  for (let n = 0; n < 300; n += 1) {
    const query = randomQuery();
    const { client, viewer } = faker.helpers.arrayElement(Object.values(viewers));
    const size = random.int({ min: 1, max: 100 });
    const page = faker.helpers.arrayElement([1, 1, 2]);
    const expected = modelBoard(contacts, stages, query, viewer, now);
    const pages = Object.fromEntries(stages.map((stage) => [stage, page]));
    const board = await client.board({ ...query, size, page: pages }, now);
    const shown = Object.entries(board).map(([stage, { contacts: found, total }]) => [
      stage,
      { ids: found.map(({ _id }) => _id), total },
    ]);
    expect(shown, JSON.stringify({ query, size, page, viewer })).toEqual(
      [...expected].map(([stage, ids]) => [
        stage,
        { ids: ids.slice((page - 1) * size, page * size), total: ids.length },
      ]),
    );
    seen += [...expected.values()].flat().length;
  }
  // The filters were neither all empty nor all let everything through.
  expect(seen).toBeGreaterThan(1_000);
});

test('300 contacts under random filters show each contact as reading it alone does', async () => {
  const { client } = viewers.admin as { client: ContactsClient };
  for (const record of await client.everything({ search: 'an' })) {
    expect((await client.read(record._id)).body.data).toEqual(record);
  }
});
