import { beforeEach, expect, test } from 'vitest';
import type { Role } from '../../shared/kernel/caller.ts';
import { contactsClient } from '../contacts/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, failure } from '../harness/tenants.ts';
import { assigned, organizationsClient } from './client.ts';

let admin: Person;
let head: Person;
let rep: Person;
const product = await setUpProduct();
const superadmin = await product.newSuperadmin();
beforeEach(async () => {
  admin = await product.newOrganization();
  [head, rep] = await Promise.all([
    product.newColleague(admin, 'DEPARTMENT_HEAD'),
    product.newColleague(admin, 'SALES_REP'),
  ]);
});

const change = (by: Person, { userId: id }: Pick<Person, 'userId'>, body: unknown) =>
  product.call('update-user', {
    token: by.token,
    path: { id },
    body,
    headers: by === superadmin ? { 'x-organization-id': admin.organizationId } : {},
  });
const read = async ({ userId: id }: Pick<Person, 'userId'>) =>
  expectStatus(await product.call('read-user', { token: admin.token, path: { id } }), 200).data;
const newDepartment = async (by: Person, name: string): Promise<string> =>
  expectStatus(await product.call('create-department', { token: by.token, body: { name } }), 201).data._id;

/** An error in the family's shape. */
async function expectRefused(response: ReturnType<typeof change>, status: number, message: string | RegExp) {
  const { status: got, body } = await response;
  expect({ status: got, body }).toEqual(failure(status, expect.stringMatching(message)));
}

const onlyAdmins =
  /^You may change only your own name and conversationOpenPreference; anything else requires the role ADMIN/;

test('A user is changed by an ADMIN `{success: true, message, data}`, in part; by an empty body not at all', async () => {
  const before = await read(rep);
  const department = await newDepartment(admin, 'Sales');
  const body = {
    accessRole: 'DEPARTMENT_HEAD',
    departmentIds: [department, department],
    disabled: true,
    conversationOpenPreference: 'first_unread',
    firstName: 'Ada',
    lastName: 'Byron',
  };
  const response = await change(admin, rep, body);
  expect(response.status).toBe(200);
  expect(Object.keys(response.body)).toEqual(['success', 'message', 'data']);
  expect(response.body.data).toEqual({
    ...before,
    ...body,
    departmentIds: [department],
    fullName: 'Ada Byron',
    updatedAt: response.body.data.updatedAt,
  });
  expect(await read(rep)).toEqual(response.body.data);
  expect((await change(admin, rep, {})).body.data).toEqual(response.body.data);
  expect((await change(admin, rep, { email: 'x', _id: 'y', fullName: 'z' })).body.data).toEqual(
    response.body.data,
  );
  expect((await change(admin, rep, { disabled: false })).body.data).toMatchObject({
    accessRole: 'DEPARTMENT_HEAD',
    departmentIds: [department],
    disabled: false,
  });
  expect((await change(admin, rep, { departmentIds: [] })).body.data.departmentIds).toEqual([]);
});

test.each<[string, unknown]>([
  ['accessRole', 'OWNER'],
  ['accessRole', 'admin'],
  ['departmentIds', 'Sales'],
  ['departmentIds', Array(51).fill('x')],
  ['disabled', 'true'],
  ['conversationOpenPreference', 'first'],
  ['firstName', 7],
  ['firstName', ' '],
  ['lastName', ''],
  ['lastName', 'x'.repeat(201)],
])('A user is not changed by %s: %j', async (field, value) => {
  await expectRefused(change(admin, rep, { [field]: value }), 400, `^${field}(\\[0\\])? must`);
});

test.each(['rep', 'head'] as const)(
  'One’s own name and conversationOpenPreference may be changed by a %s, and nothing else',
  async (who) => {
    const person = { rep, head }[who];
    for (const preference of ['first_unread', 'last_position', 'latest']) {
      const { status, body } = await change(person, person, { conversationOpenPreference: preference });
      expect([status, body.data.conversationOpenPreference]).toEqual([200, preference]);
    }
    const named = await change(person, person, { firstName: ' Ada ', lastName: 'Byron' });
    expect(named.body.data).toMatchObject({ firstName: 'Ada', lastName: 'Byron', fullName: 'Ada Byron' });
    const before = await read(person);
    for (const body of [
      { accessRole: 'ADMIN' },
      { accessRole: person.role },
      { departmentIds: [] },
      { disabled: false },
      { conversationOpenPreference: 'latest', accessRole: 'SALES_REP' },
    ]) {
      await expectRefused(change(person, person, body), 403, onlyAdmins);
    }
    expect(await read(person)).toEqual(before);
  },
);

test('One’s own conversationOpenPreference is changed by an ADMIN for others too, by nobody below', async () => {
  expect((await change(admin, rep, { conversationOpenPreference: 'first_unread' })).status).toBe(200);
  for (const [by, of] of [
    [rep, head],
    [rep, admin],
    [head, rep],
  ] as const) {
    await expectRefused(change(by, of, { conversationOpenPreference: 'latest' }), 403, onlyAdmins);
    await expectRefused(change(by, of, { firstName: 'Ada' }), 403, onlyAdmins);
  }
});

test('A new name shows wherever the user does: in lists, sessions, on notes and beside phone numbers', async () => {
  const { _id: contactId } = await contactsClient(product, rep).created({ firstName: 'Ada' });
  const note = { contactId, note: 'Called back' };
  await arrange(product.call('create-note', { token: rep.token, body: note }));
  await assigned(organizationsClient(product, admin), rep);
  expect((await change(rep, rep, { firstName: 'Grace', lastName: 'Hopper' })).status).toBe(200);

  const token = admin.token;
  const [users, notes, numbers, session] = await Promise.all([
    arrange(product.call('list-users', { token })),
    arrange(product.call('list-notes', { token, query: { contactId } })),
    arrange(organizationsClient(product, superadmin, admin.organizationId)('list-phone-numbers')),
    arrange(product.call('refresh', { body: { refreshToken: rep.refreshToken } })),
  ]);
  const shown = [
    users.data.find(({ _id }: { _id: string }) => _id === rep.userId).fullName,
    notes.data[0].userId.fullName,
    numbers.assignments[0].userName,
    session.user.fullName,
  ];
  expect(shown).toEqual(Array(4).fill('Grace Hopper'));
});

test.each<[Role, boolean]>([
  ['SALES_REP', true],
  ['DEPARTMENT_HEAD', true],
  ['ADMIN', true],
  ['SUPERADMIN', false],
])('A role is given by an ADMIN up to their own: %s %s', async (accessRole, possible) => {
  const response = await change(admin, rep, { accessRole });
  if (possible) {
    expect([response.status, response.body.data.accessRole]).toEqual([200, accessRole]);
  } else {
    expect(response).toMatchObject(failure(403, 'You may not assign a role above your own.'));
  }
});

test('The role of SUPERADMIN is given and changed by a SUPERADMIN alone', async () => {
  expect((await change(superadmin, rep, { accessRole: 'SUPERADMIN' })).status).toBe(200);
  for (const body of [
    { accessRole: 'SALES_REP' },
    { disabled: true },
    { departmentIds: [] },
    { conversationOpenPreference: 'latest' },
  ]) {
    await expectRefused(change(admin, rep, body), 403, /^Only a SUPERADMIN may change a SUPERADMIN\.$/);
  }
  expect((await change(superadmin, rep, { accessRole: 'SALES_REP' })).status).toBe(200);
});

test('One’s own role is lowered by nobody, nor one’s own account disabled: 409', async () => {
  for (const accessRole of ['DEPARTMENT_HEAD', 'SALES_REP']) {
    await expectRefused(change(admin, admin, { accessRole }), 409, /^You cannot lower your own role/);
  }
  await expectRefused(change(admin, admin, { disabled: true }), 409, /^You cannot disable your own account/);
  await expectRefused(change(admin, admin, { accessRole: 'SUPERADMIN' }), 403, /^You may not assign a role/);
  expect((await change(admin, admin, { accessRole: 'ADMIN', disabled: false })).status).toBe(200);

  const own = (body: unknown) =>
    product.call('update-user', { token: superadmin.token, path: { id: superadmin.userId }, body });
  expect((await own({ accessRole: 'ADMIN' })).status).toBe(409);
  expect((await own({ disabled: true })).status).toBe(409);
});

test('A role is in the token of the next refresh', async () => {
  await arrange(change(admin, rep, { accessRole: 'ADMIN' }));
  const { body } = await product.call('refresh', { body: { refreshToken: rep.refreshToken } });
  expect(body.user.accessRole).toBe('ADMIN');
  const raised = { ...rep, token: body.token };
  expect((await change(raised, head, { accessRole: 'SALES_REP' })).status).toBe(200);
});

test('Departments of a user must be of the organization: 404 otherwise, and nothing is written', async () => {
  const foreignAdmin = await product.newOrganization();
  const [own, foreign] = [await newDepartment(admin, 'Own'), await newDepartment(foreignAdmin, 'Foreign')];
  for (const id of [foreign, '01JZZZZZZZZZZZZZZZZZZZZZZZ']) {
    const request = { departmentIds: [own, id], accessRole: 'ADMIN' };
    await expectRefused(
      change(admin, rep, request),
      404,
      /^departmentIds\[1\] is not the id of a department of this organization$/,
    );
  }
  expect(await read(rep)).toMatchObject({ departmentIds: [], accessRole: 'SALES_REP' });
});

test('Departments of a user decide what a DEPARTMENT_HEAD sees, at once', async () => {
  const department = await newDepartment(admin, 'Team');
  const { _id } = await contactsClient(product, rep).created({ firstName: 'Ada', owner: rep.userId });
  const seen = async () => (await contactsClient(product, head).read(_id)).status;
  await arrange(change(admin, rep, { departmentIds: [department] }));
  expect(await seen()).toBe(404);
  await arrange(change(admin, head, { departmentIds: [department] }));
  expect(await seen()).toBe(200);
  await arrange(change(admin, rep, { departmentIds: [] }));
  expect(await seen()).toBe(404);
});
