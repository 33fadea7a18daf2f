import { afterEach, beforeEach, expect, test } from 'vitest';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, failure, outcome } from '../harness/tenants.ts';

let admin: Person;
const faults = setUpFaultyTable();
const product = await setUpProduct();
beforeEach(async () => {
  admin = await product.newOrganization();
});
afterEach(() => faults.clear());

const create = (name: unknown, by = admin) =>
  product.call('create-department', { token: by.token, body: { name } });
const created = async (name: string) => expectStatus(await create(name), 201).data;
const rename = (id: string, body: unknown, by = admin) =>
  product.call('update-department', { token: by.token, path: { id }, body });
const remove = (id: string, by = admin) =>
  product.call('delete-department', { token: by.token, path: { id } });
const list = async (by = admin, query: Record<string, string> = {}) =>
  expectStatus(await product.call('list-departments', { token: by.token, query }), 200);
const join = ({ userId: id }: Person, departmentIds: string[]) =>
  product.call('update-user', { token: admin.token, path: { id }, body: { departmentIds } });

const taken = failure(409, 'Another department already has this name.');
const missing = failure(404, 'Department not found');

test('Departments are created 201 `{success, message, data}` and listed for every role, oldest first', async () => {
  const { status, body } = await create(' Sales North ');
  expect([status, Object.keys(body)]).toEqual([201, ['success', 'message', 'data']]);
  expect(body.data).toEqual({
    _id: expect.stringMatching(/^[0-9A-Z]{26}$/),
    organizationId: admin.organizationId,
    name: 'Sales North',
    createdAt: expect.any(String),
    updatedAt: body.data.createdAt,
  });
  const second = await created('Support');
  for (const role of ['SALES_REP', 'DEPARTMENT_HEAD', 'ADMIN'] as const) {
    expect(await list(await product.newColleague(admin, role))).toEqual({
      success: true,
      data: [body.data, second],
      nextCursor: null,
    });
  }
  const first = await list(admin, { limit: '1' });
  expect(first.data).toEqual([body.data]);
  expect((await list(admin, { limit: '1', cursor: first.nextCursor })).data).toEqual([second]);
  expect((await list(await product.newOrganization())).data).toEqual([]);
});

test.each([[undefined], [null], [''], ['  '], ['x'.repeat(201)], [5]])(
  'Departments are not named %j',
  async (name) => {
    expect(await create(name)).toMatchObject(failure(400, expect.stringMatching(/^name /)));
  },
);

test('The name of a department is unique within the organization, whatever the case and the form of its letters: 409', async () => {
  await created('Straße Café №1');
  for (const name of [
    'Straße Café №1',
    'STRAßE CAFÉ №1',
    'straße cafe\u0301 №1',
    '  ｓｔｒａßｅ café No1 ',
  ]) {
    expect(await create(name), name).toMatchObject(taken);
  }
  expect((await create('Strasse Cafe 1')).status).toBe(201);
  expect((await create('Straße Café №1', await product.newOrganization())).status).toBe(201);
});

test('The name of a department that many ask for at once is given to one', async () => {
  const responses = await Promise.all(Array.from({ length: 20 }, () => create('Sales')));
  expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  expect((await list()).data).toHaveLength(1);
});

test('The name of a department is changed, and the one before is free at once', async () => {
  const { _id } = await created('Sales');
  await created('Support');
  const { status, body } = await rename(_id, { name: 'Sales Europe' });
  expect([status, Object.keys(body)]).toEqual([200, ['success', 'message', 'data']]);
  expect(body.data).toMatchObject({ _id, name: 'Sales Europe' });
  expect((await list()).data[0]).toEqual(body.data);
  expect(await create('sales europe')).toMatchObject(taken);
  expect(await rename(_id, { name: 'SUPPORT' })).toMatchObject(taken);
  expect((await create('Sales')).status).toBe(201);
  expect((await rename(_id, { name: 'SALES EUROPE' })).body.data.name).toBe('SALES EUROPE');
  expect(await create('Sales Europe')).toMatchObject(taken);
});

test('The name of a department stays when none is given, or the same', async () => {
  const department = await created('Sales');
  for (const body of [{}, { name: 'Sales' }, { name: ' Sales ' }]) {
    expect((await rename(department._id, body)).body.data).toEqual(department);
  }
});

test('The name of a department that is changed twice at once is one of the two, and the other is free', async () => {
  const { _id } = await created('Sales');
  await Promise.all([rename(_id, { name: 'North' }), rename(_id, { name: 'South' })]);
  const [{ name }] = (await list()).data;
  const other = name === 'North' ? 'South' : 'North';
  expect(await create(name)).toMatchObject(taken);
  expect([(await create(other)).status, (await create('Sales')).status]).toEqual([201, 201]);
});

test('A department is deleted `{success, message}`; its name is free at once', async () => {
  const { _id } = await created('Sales');
  expect(outcome(await remove(_id))).toEqual({
    status: 200,
    body: { success: true, message: 'Department deleted' },
  });
  expect(await remove(_id)).toMatchObject(missing);
  expect((await list()).data).toEqual([]);
  expect((await create('Sales')).status).toBe(201);
});

test('A department that has members is not deleted: 409, with their number', async () => {
  const { _id } = await created('Sales');
  const rep = await product.newColleague(admin, 'SALES_REP', { departmentIds: [_id] });
  expect(await remove(_id)).toMatchObject(
    failure(409, 'The department has 1 member. Remove them from it first.'),
  );
  const other = await product.newColleague(admin);
  await arrange(join(other, [_id]));
  expect(await remove(_id)).toMatchObject(
    failure(409, 'The department has 2 members. Remove them from it first.'),
  );
  await Promise.all([join(rep, []), join(other, [])]);
  expect((await remove(_id)).status).toBe(200);
});

test.each(['joins', 'registers'])(
  'A department that somebody %s between look and deletion is not deleted',
  async (how) => {
    const { _id } = await created('Sales');
    const rep = await product.newColleague(admin);
    faults.next('TransactWriteItemsCommand', async (next) => {
      await (how === 'joins'
        ? join(rep, [_id])
        : product.newColleague(admin, 'SALES_REP', { departmentIds: [_id] }));
      return next();
    });
    expect(await remove(_id)).toMatchObject(
      failure(409, 'The department has 1 member. Remove them from it first.'),
    );
    expect((await list()).data).toHaveLength(1);
  },
);

test('A department that is deleted while somebody joins is joined by nobody: 404', async () => {
  const { _id } = await created('Sales');
  const rep = await product.newColleague(admin);
  faults.next('TransactWriteItemsCommand', async (next) => {
    expectStatus(await remove(_id), 200);
    return next();
  });
  expect(await join(rep, [_id])).toMatchObject(
    failure(404, 'departmentIds[0] is not the id of a department of this organization'),
  );
  const { data } = (await product.call('read-user', { token: rep.token, path: { id: rep.userId } })).body;
  expect(data.departmentIds).toEqual([]);
});
