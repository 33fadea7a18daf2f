import { beforeEach, expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { type ContactsClient, contactsClient, touch } from './client.ts';
import { boardsSince, kinds, search } from './repeated-board.ts';

const { product } = await setUpTenants();
const { at, found, settle } = boardsSince(Date.now());

let admin: Person;
let contacts: ContactsClient;
beforeEach(async () => {
  admin = await product.newOrganization();
  contacts = contactsClient(product, admin);
});

test('A board that was asked for before costs the pipelines and the counters, whatever its filter, and also if a colleague asks in another form', async () => {
  await contacts.created({ firstName: 'Ada', source: 'Fair' });
  const colleague = contactsClient(product, await product.newColleague(admin, 'ADMIN'));
  const paged = { ...search, size: 1, page: { New: 2 } };
  for (const body of [{}, search, { source: 'Fair' }, { bulkOnly: true }, paged]) {
    await settle(contacts, body);
    const { consumed } = await contacts.list(body, at(2_000));
    expect(consumed).toMatchObject({ requests: 2, roundTrips: 2 });
    expect(consumed?.readUnits).toBeLessThanOrEqual(3);
  }
  const same = { search: ' ADA ', source: '', ownerFilter: 'all' };
  const { consumed, body } = await colleague.list(same, at(2_000));
  expect(consumed).toMatchObject({ requests: 2 });
  expect(body.data.New.total).toBe(1);
});

test.each(kinds)(
  'Every change shows at once in %s, on every page and to everyone: a creation, an edit, a move, a contact that is taken from somebody, a deletion',
  async (_, body) => {
    const rep = await product.newColleague(admin);
    const own = contactsClient(product, rep);
    const fields = { firstName: 'Ada', lastName: 'One', owner: null, assignees: [rep.userId] };
    const { _id } = await contacts.created(fields);
    await settle(contacts, body);
    await settle(own, body);
    expect(await found(own, 2_000, body)).toEqual({ New: [1, 'One'] });

    await contacts.created({ firstName: 'Ada', lastName: 'Two', stage: 'Won' });
    expect(await found(contacts, 2_010, body)).toEqual({ New: [1, 'One'], Won: [1, 'Two'] });

    expectStatus(await contacts.update(_id, { lastName: 'Three', tags: ['vip'] }), 200);
    expect(await found(own, 2_020, body)).toEqual({ New: [1, 'Three'] });
    expect((await contacts.board(body as never, at(2_020))).New?.contacts[0]?.tags).toEqual(['vip']);

    expectStatus(await contacts.move(_id, { stage: 'Won' }), 200);
    expect(await found(own, 2_030, body)).toEqual({ Won: [1, 'Three'] });
    expect(await found(contacts, 2_030, body)).toEqual({ Won: [2, 'Two', 'Three'] });

    expectStatus(await contacts.update(_id, { assignees: [] }), 200);
    expect(await found(own, 2_040, body)).toEqual({});
    const second = { ...body, size: 1, page: { Won: 2 } };
    expect(await found(contacts, 2_040, second)).toEqual({ Won: [2, 'Three'] });

    expectStatus(await contacts.remove(_id), 200);
    expect(await found(contacts, 2_050, second)).toEqual({ Won: [1] });
  },
);

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

test.each(kinds)(
  'A renamed stage, stages in another order, another active pipeline and a deleted one show at once in %s',
  async (_, body) => {
    const pipelines = pipelinesClient(product, admin);
    const [{ _id = '', stages: [first, ...others] = [] } = {}] = await pipelines.list('Contact');
    const second = await pipelines.created({ name: 'Second', stages: ['A', 'B'] });
    await contacts.created({ firstName: 'Ada', lastName: 'One' });
    await settle(contacts, body);
    const boardNow = (more = {}) => contacts.board({ ...body, ...more }, at(2_000));

    const stages = [...others, { ...first, name: 'Fresh' }];
    expectStatus(await pipelines.update(_id, { stages }), 200);
    expect(Object.keys(await boardNow())).toEqual(stages.map(({ name }) => name));
    expect(await boardNow()).toMatchObject({
      Fresh: { total: 1, contacts: [{ firstName: 'Ada', stage: 'Fresh' }] },
    });

    expectStatus(await pipelines.update(second._id, { isActive: true }), 200);
    expect(Object.keys(await boardNow())).toEqual(['A', 'B']);
    expect(Object.keys(await boardNow({ pipelineId: _id }))).toHaveLength(5);

    expectStatus(await pipelines.remove(second._id), 200);
    expect(await boardNow()).toEqual({});
    expect((await contacts.list({ ...body, pipelineId: second._id }, at(2_000))).status).toBe(404);
  },
);

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
      expect(await found(seen, milliseconds, search)).toEqual(expected);
      expect(await found(seen, milliseconds)).toEqual(expected);
    }
  }
});

test.each(kinds)('People of two organizations never get each other’s pages of %s', async (_, body) => {
  const otherRep = contactsClient(product, await product.newOrganization());
  await contacts.created({ firstName: 'Ada', lastName: 'One' });
  await settle(contacts, body);

  expect(await found(otherRep, 2_000, body)).toEqual({});
});
