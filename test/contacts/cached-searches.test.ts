import { beforeEach, expect, test } from 'vitest';
import { setUpWorld } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus } from '../harness/world.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { type ContactsClient, contactsClient, touch } from './client.ts';
import { search, searchesSince } from './repeated-search.ts';

const { product } = await setUpWorld();
const { at, found, settle } = searchesSince(Date.now());

let admin: Person;
let contacts: ContactsClient;
beforeEach(async () => {
  admin = await product.newOrganization();
  contacts = contactsClient(product, admin);
});

test('A search that was asked before costs the pipelines and the counters: two requests of no more than three read units, like every filter', async () => {
  await contacts.created({ firstName: 'Ada', source: 'Fair' });
  for (const body of [
    search,
    { source: 'Fair' },
    { bulkOnly: true },
    { ...search, size: 1, page: { New: 2 } },
  ]) {
    await settle(contacts, body);

    const { consumed } = await contacts.list(body, at(2_000));

    expect(consumed).toMatchObject({ requests: 2, roundTrips: 2 });
    expect(consumed?.readUnits).toBeLessThanOrEqual(3);
  }
});

test('The same search in another form, by another ADMIN, comes from the cache', async () => {
  await contacts.created({ firstName: 'Ada' });
  await settle(contacts);
  const colleague = contactsClient(product, await product.newColleague(admin, 'ADMIN'));

  const { consumed, body } = await colleague.list(
    { search: ' ADA ', source: '', ownerFilter: 'all' },
    at(2_000),
  );

  expect(consumed).toMatchObject({ requests: 2 });
  expect(body.data.New.total).toBe(1);
});

test('Every change shows at once in a cached search: a creation, an edit, a tag, a move, a name that matches no more, a deletion', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada', lastName: 'One' });
  await settle(contacts);
  expect(await found(contacts, 2_000)).toEqual({ New: [1, 'One'] });

  await contacts.created({ firstName: 'Ada', lastName: 'Two', stage: 'Won' });
  expect(await found(contacts, 2_010)).toEqual({ New: [1, 'One'], Won: [1, 'Two'] });

  expectStatus(await contacts.update(_id, { lastName: 'Three', tags: ['vip'] }), 200);
  expect(await found(contacts, 2_020)).toEqual({ New: [1, 'Three'], Won: [1, 'Two'] });
  expect((await contacts.board(search, at(2_030))).New?.contacts[0]?.tags).toEqual(['vip']);

  expectStatus(await contacts.move(_id, { stage: 'Won' }), 200);
  expect(await found(contacts, 2_040)).toEqual({ Won: [2, 'Two', 'Three'] });

  expectStatus(await contacts.update(_id, { firstName: 'Grace' }), 200);
  expect(await found(contacts, 2_050)).toEqual({ Won: [1, 'Two'] });
  expect(await found(contacts, 2_050, { search: 'grace' })).toEqual({ Won: [1, 'Three'] });

  expectStatus(await contacts.remove(_id), 200);
  expect(await found(contacts, 2_060, { search: 'grace' })).toEqual({});
});

test('What a filter asks for is part of the key of the cache, and so are the page and its size', async () => {
  for (const lastName of ['One', 'Two', 'Three']) {
    await contacts.created({
      firstName: 'Ada',
      lastName,
      customFields: { city: lastName, vip: lastName === 'One' },
    });
  }
  const asked: [object, unknown[]][] = [
    [search, [3, 'Three', 'Two', 'One']],
    [{ ...search, size: 1 }, [3, 'Three']],
    [{ ...search, size: 1, page: { New: 2 } }, [3, 'Two']],
    [{ ...search, size: 2, page: { New: 2 } }, [3, 'One']],
    [{ customFilters: { city: '^T' } }, [2, 'Three', 'Two']],
    [{ customFilters: { city: '^O' } }, [1, 'One']],
    [{ customFilters: { vip: true } }, [1, 'One']],
    [{ customFilters: { vip: 'true' } }, [1, 'One']],
    [{ customFilters: { vip: 'e' } }, [3, 'Three', 'Two', 'One']],
    [{ ...search, owner: [admin.userId] }, [3, 'Three', 'Two', 'One']],
  ];
  for (const milliseconds of [0, 10, 1_100, 1_200]) {
    for (const [body, expected] of asked) {
      expect(await found(contacts, milliseconds, body), JSON.stringify(body)).toEqual({ New: expected });
    }
  }
});

test('A search whose filter depends on the time is computed anew each time', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada', lastName: 'One' });
  const silent = { lastMessageTimeRange: { value: 1, unit: 'hours' } };
  const minute = 60_000;
  await touch(product, admin.organizationId, _id, { lastMessageAt: at(-59 * minute).toISOString() });

  expect(await found(contacts, 0, silent)).toEqual({});
  expect(await found(contacts, 0, silent)).toEqual({});
  expect(await found(contacts, 2 * minute, silent)).toEqual({ New: [1, 'One'] });
});

test('A renamed stage shows under its new name in a cached search, in the cards too', async () => {
  const pipelines = pipelinesClient(product, admin);
  const [pipeline] = await pipelines.list('Contact');
  await contacts.created({ firstName: 'Ada', lastName: 'One' });
  await settle(contacts);
  const stages = pipeline?.stages.map((stage) =>
    stage.name === 'New' ? { ...stage, name: 'Fresh' } : stage,
  );

  expectStatus(await pipelines.update(pipeline?._id ?? '', { stages }), 200);

  expect(await contacts.board(search, at(2_000))).toMatchObject({
    Fresh: { total: 1, contacts: [{ firstName: 'Ada', stage: 'Fresh' }] },
  });
});

test('Another active pipeline, and a deleted one, show at once in a cached search', async () => {
  const pipelines = pipelinesClient(product, admin);
  const second = await pipelines.created({ name: 'Second', stages: ['A', 'B'] });
  await settle(contacts);
  const named = async (body: object) => Object.keys(await contacts.board({ ...body }, at(2_000)));

  expectStatus(await pipelines.update(second._id, { isActive: true }), 200);
  expect(await named(search)).toEqual(['A', 'B']);
  await settle(contacts, { ...search, pipelineId: second._id });

  expectStatus(await pipelines.remove(second._id), 200);
  expect((await contacts.list({ ...search, pipelineId: second._id }, at(2_000))).status).toBe(404);
});

test('A contact that is taken from a representative leaves their search at once, and stays in that of the ADMIN', async () => {
  const rep = await product.newColleague(admin);
  const own = contactsClient(product, rep);
  const { _id } = await contacts.created({
    firstName: 'Ada',
    lastName: 'One',
    owner: null,
    assignees: [rep.userId],
  });
  await contacts.created({ firstName: 'Ada', lastName: 'Two' });
  for (const client of [own, contacts]) {
    await settle(client);
  }
  expect(await found(own, 2_000)).toEqual({ New: [1, 'One'] });

  expectStatus(await contacts.update(_id, { assignees: [] }), 200);

  expect(await found(own, 2_010)).toEqual({});
  expect(await found(contacts, 2_010)).toEqual({ New: [2, 'Two', 'One'] });
});

test('A user who comes into a department, and leaves it, brings their contacts to the boards of its head and takes them away', async () => {
  const { data } = await arrange(
    product.call('create-department', { token: admin.token, body: { name: 'North' } }),
  );
  const head = await product.newColleague(admin, 'DEPARTMENT_HEAD', { departmentIds: [data._id] });
  const rep = await product.newColleague(admin);
  const seen = contactsClient(product, head);
  await contactsClient(product, rep).created({ firstName: 'Ada', lastName: 'One' });
  const put = (departmentIds: string[]) =>
    arrange(
      product.call('update-user', { token: admin.token, path: { id: rep.userId }, body: { departmentIds } }),
    );

  for (const [departmentIds, expected] of [
    [[data._id], { New: [1, 'One'] }],
    [[], {}],
    [[data._id], { New: [1, 'One'] }],
  ] as const) {
    await put([...departmentIds]);
    for (const milliseconds of [0, 10, 1_100, 2_000]) {
      expect(await found(seen, milliseconds)).toEqual(expected);
      expect(await found(seen, milliseconds, {})).toEqual(expected);
    }
  }
});

test('People of two organizations never get each other’s cached searches', async () => {
  const stranger = contactsClient(product, await product.newOrganization());
  await contacts.created({ firstName: 'Ada', lastName: 'One' });
  await settle(contacts);

  expect(await found(stranger, 2_000)).toEqual({});
});
