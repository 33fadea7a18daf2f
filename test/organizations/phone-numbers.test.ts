import { expect, test } from 'vitest';
import { userNumbersKey } from '../../shared/organizations/phone-assignments.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { newPhoneNumber, outcome } from '../harness/tenants.ts';
import {
  type Assignment,
  assigned,
  assignmentsIn,
  numberAt,
  organizationsClient,
  problem,
} from './client.ts';
import { staffedOrganizationEach } from './each.ts';

const product = await setUpProduct();
const own = await staffedOrganizationEach(product);
const { client, superadmin, above } = own;

const listed = () => assignmentsIn(above);
/** The eight of the specification, and one of our own. */
const keys = [
  ...['userId', 'userName', 'userEmail', 'provider', 'phoneNumber', 'isDefault', 'isInboundEnabled', 'label'],
  'status',
];

test('The list of phone numbers is `{assignments: []}` for an organization that has none', async () => {
  expect(outcome(await above('list-phone-numbers'))).toEqual({ status: 200, body: { assignments: [] } });
});

test('The list of phone numbers has the keys of the specification for each number, in its order, and the status', async () => {
  const phoneNumber = newPhoneNumber();
  await assigned(client, own.rep, { phoneNumber, label: 'Desk', isInboundEnabled: false, secret: 'geheim' });
  const { body } = await above('list-phone-numbers');
  expect(Object.keys(body)).toEqual(['assignments']);
  expect(body.assignments.map(Object.keys)).toEqual([keys]);
  expect(body.assignments).toEqual([
    {
      userId: own.rep.userId,
      userName: 'Test Person',
      userEmail: own.rep.email,
      provider: 'twilio',
      phoneNumber,
      isDefault: true,
      isInboundEnabled: false,
      label: 'Desk',
      status: 'active',
    },
  ]);
});

test('The list of phone numbers is ordered by userName, then by number; a label that is not set is empty', async () => {
  const people = await Promise.all(
    ['Zoë', 'adam', 'Émile', 'Bert'].map((firstName) =>
      product.newColleague(own.admin, 'SALES_REP', { firstName, lastName: 'Oak' }),
    ),
  );
  for (const person of people) {
    await assigned(client, person);
    await assigned(client, person);
  }
  const all = await listed();
  expect(all.map(({ userName }) => userName)).toEqual(
    ['adam', 'Bert', 'Émile', 'Zoë'].flatMap((name) => [`${name} Oak`, `${name} Oak`]),
  );
  for (const { userId } of all) {
    const numbers = all
      .filter((assignment) => assignment.userId === userId)
      .map(({ phoneNumber }) => phoneNumber);
    expect(numbers).toEqual([...numbers].sort());
  }
  expect(all.map(({ label }) => label)).toEqual(Array(8).fill(''));
});

test('The list of phone numbers holds those of one organization, and complete with more people than one request may ask for', async () => {
  const { table, moment } = product.tableOf(own.admin.organizationId);
  const model = await table.read(userKey(own.rep.userId));
  if (model === undefined) {
    throw new Error('There is no such user');
  }
  const users = Array.from({ length: 101 }, () => ({ ...model.data, _id: moment.newId() }));
  await Promise.all(users.map((user) => table.commit([table.add(userKey(user._id), user)])));
  await Promise.all(
    users.map(({ _id: userId }, index) =>
      table.commit([table.add(userNumbersKey(userId), { userId, numbers: [numberAt(index)] })]),
    ),
  );
  const other = await product.newOrganization();
  await assigned(organizationsClient(product, other), other);
  const { body } = await above('list-phone-numbers');
  expect(new Set(body.assignments.map(({ userId }: Assignment) => userId)).size).toBe(101);
});

test('A phone number is assigned 201 `{success, message, data}`, in E.164 whatever its spelling', async () => {
  const digits = newPhoneNumber().slice(1);
  const { status, body } = await client('assign-phone-number', {
    userId: own.rep.userId,
    provider: ' twilio ',
    phoneNumber: ` 00${digits.slice(0, 4)}-(${digits.slice(4, 7)}) ${digits.slice(7)}`,
  });
  expect({ status, keys: Object.keys(body) }).toEqual({ status: 201, keys: ['success', 'message', 'data'] });
  expect(Object.keys(body.data)).toEqual(keys);
  expect(body.data).toMatchObject({
    phoneNumber: `+${digits}`,
    provider: 'twilio',
    isDefault: true,
    isInboundEnabled: true,
    label: '',
  });
  expect(await listed()).toEqual([body.data]);
});

test('A phone number is one user’s on the whole platform: again is 409, without telling where it is assigned', async () => {
  const { phoneNumber } = await assigned(client, own.rep, { label: 'Mine' });
  const elsewhere = await product.newOrganization();
  const before = await listed();
  for (const [who, { userId }] of [
    [client, own.rep],
    [client, own.admin],
    [organizationsClient(product, elsewhere), elsewhere],
    [above, own.admin],
  ] as const) {
    const response = await who('assign-phone-number', {
      userId,
      provider: 'other',
      phoneNumber,
      isDefault: true,
    });
    expect(outcome(response)).toEqual(problem(409, 'Conflict', 'This phone number is already assigned.'));
  }
  expect(await listed()).toEqual(before);
});

test('A phone number is removed by its ADMIN, however it stands in the path, and free at once for anybody', async () => {
  const elsewhere = organizationsClient(product, await product.newOrganization());
  const other = await product.newOrganization();
  for (const spelled of [(number: string) => number, (number: string) => number.replace('+', '00')]) {
    const { phoneNumber } = await assigned(client, own.rep);
    expect(outcome(await elsewhere('remove-phone-number', undefined, { phoneNumber }))).toEqual(
      problem(404, 'Not found', 'Phone number not found'),
    );
    const removed = await client('remove-phone-number', undefined, { phoneNumber: spelled(phoneNumber) });
    expect(outcome(removed)).toEqual({
      status: 200,
      body: { success: true, message: 'Phone number removed' },
    });
    expect(await listed()).toEqual([]);
    await assigned(organizationsClient(product, other), other, { phoneNumber });
  }
});

test('A phone number that is unknown, assigned elsewhere or no number at all is removed and changed with the same 404', async () => {
  const other = await product.newOrganization();
  const { phoneNumber: foreign } = await assigned(organizationsClient(product, other), other);
  for (const phoneNumber of [foreign, newPhoneNumber(), 'garbage', '12025550123', '-', 'a#b']) {
    for (const [name, body] of [
      ['remove-phone-number', undefined],
      ['update-phone-number', { label: 'Stolen' }],
    ] as const) {
      expect(outcome(await client(name, body, { phoneNumber })), phoneNumber).toEqual(
        problem(404, 'Not found', 'Phone number not found'),
      );
    }
  }
  const there = organizationsClient(product, superadmin, other.organizationId);
  expect((await there('list-phone-numbers')).body.assignments).toMatchObject([
    { phoneNumber: foreign, label: '' },
  ]);
});

test('A phone number is changed in part', async () => {
  const { phoneNumber } = await assigned(client, own.rep, { label: 'Desk' });
  const [before] = await listed();
  const unchanged = await client('update-phone-number', { label: 'Desk' }, { phoneNumber });
  expect(unchanged.body).toEqual({ success: true, message: 'No changes', data: before });
  for (const change of [
    { label: 'Mobile' },
    { isInboundEnabled: false },
    { provider: 'vonage' },
    { isDefault: false },
    { label: '', userId: 'ignored', phoneNumber: 'ignored' },
  ]) {
    const [stored] = await listed();
    const { userId, phoneNumber: _, ...changed } = { userId: '', phoneNumber: '', ...change };
    const { status, body } = await client('update-phone-number', change, { phoneNumber });
    expect({ status, body }).toEqual({
      status: 200,
      body: { success: true, message: 'Phone number updated', data: { ...stored, ...changed } },
    });
    expect(await listed()).toEqual([body.data]);
  }
  expect(await listed()).toEqual([
    { ...before, label: '', isInboundEnabled: false, provider: 'vonage', isDefault: false },
  ]);
});
