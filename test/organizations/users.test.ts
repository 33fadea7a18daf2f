import { expect, test } from 'vitest';
import { userKey } from '../../shared/organizations/user.ts';
import type { ApiResponse } from '../harness/call.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { type Person, password } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';

const product = await setUpProduct();

const list = (person: Person, query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  product.call('list-users', { token: person.token, query, headers });

const idsIn = ({ body }: ApiResponse) => body.data.map(({ _id }: { _id: string }) => _id);
const fields = [
  ...['_id', 'email', 'firstName', 'lastName', 'fullName', 'organizationId', 'accessRole', 'departmentIds'],
  ...['conversationOpenPreference', 'disabled', 'createdAt', 'updatedAt'],
];

test('The users of an organization are listed for every role `{success: true, data: […], nextCursor}`, oldest first', async () => {
  const admin = await product.newOrganization();
  const head = await product.newColleague(admin, 'DEPARTMENT_HEAD');
  const rep = await product.newColleague(admin, 'SALES_REP', { firstName: 'Ada', lastName: 'Byron' });
  await product.newOrganization();
  for (const person of [admin, head, rep]) {
    const { status, body } = await list(person);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['success', 'data', 'nextCursor']);
    expect([body.success, body.nextCursor]).toEqual([true, null]);
    expect(idsIn({ body } as ApiResponse)).toEqual([admin, head, rep].map(({ userId }) => userId));
  }
  const { data } = (await list(rep)).body;
  expect(data.map(Object.keys)).toEqual([fields, fields, fields]);
  expect(data[2]).toEqual({
    _id: rep.userId,
    email: rep.email,
    firstName: 'Ada',
    lastName: 'Byron',
    fullName: 'Ada Byron',
    organizationId: admin.organizationId,
    accessRole: 'SALES_REP',
    departmentIds: [],
    conversationOpenPreference: 'latest',
    disabled: false,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: data[2].createdAt,
  });
});

test('The users of an organization come in pages of 25, or of up to 100, each user once', async () => {
  const admin = await product.newOrganization();
  const { table, moment } = product.tableOf(admin.organizationId);
  const model = (await table.read(userKey(admin.userId)))?.data;
  if (model === undefined) {
    throw new Error('There is no such user');
  }
  const more = Array.from({ length: 29 }, () => ({ ...model, _id: moment.newId() }));
  await table.commit(more.map((user) => table.add(userKey(user._id), user)));

  const first = await list(admin);
  expect(first.body.data).toHaveLength(25);
  const second = await list(admin, { cursor: first.body.nextCursor });
  expect(second.body.nextCursor).toBeNull();
  expect(new Set([...idsIn(first), ...idsIn(second)]).size).toBe(30);
  expect((await list(admin, { limit: '100' })).body.data).toHaveLength(30);
  for (const query of [{ limit: '0' }, { limit: '101' }, { limit: 'x' }, { cursor: 'x' }]) {
    const { status, body } = await list(admin, query);
    expect([status, Object.keys(body)]).toEqual([400, ['success', 'message']]);
  }
});

test('A user gets their own preference with the next login and refresh', async () => {
  const rep = await product.newColleague(await product.newOrganization());
  expectStatus(
    await product.call('update-user', {
      token: rep.token,
      path: { id: rep.userId },
      body: { conversationOpenPreference: 'last_position' },
    }),
    200,
  );
  const { email, refreshToken } = rep;
  for (const session of [
    await product.call('login', { body: { email, password } }),
    await product.call('refresh', { body: { refreshToken } }),
  ]) {
    expect(session.body.user.conversationOpenPreference).toBe('last_position');
  }
});
