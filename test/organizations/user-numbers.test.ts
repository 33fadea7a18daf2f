import { beforeEach, expect, test } from 'vitest';
import { numberOwner, userNumbersKey } from '../../shared/organizations/phone-assignments.ts';
import { identityOf } from '../auth/records.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, newPhoneNumber, outcome } from '../harness/world.ts';
import {
  assigned,
  assignmentsIn,
  numberAt,
  type OrganizationsClient,
  organizationsClient,
  problem,
} from './client.ts';

let admin: Person;
let rep: Person;
let client: OrganizationsClient;
/** The same organization, as the SUPERADMIN calls it. */
let above: OrganizationsClient;
const product = await setUpProduct();
const superadmin = await product.newSuperadmin();
beforeEach(async () => {
  admin = await product.newOrganization();
  rep = await product.newColleague(admin);
  client = organizationsClient(product, admin);
  above = organizationsClient(product, superadmin, admin.organizationId);
});

const listed = () => assignmentsIn(above);
const flags = async () =>
  Object.fromEntries((await listed()).map(({ phoneNumber, isDefault }) => [phoneNumber, isDefault]));

test('The first number of a user is the default number unless the request says otherwise, and another replaces it on request', async () => {
  const first = await assigned(client, rep);
  const second = await assigned(client, rep);
  expect([first.isDefault, second.isDefault]).toEqual([true, false]);
  const third = await assigned(client, rep, { isDefault: true });
  expect(await flags()).toEqual({
    [first.phoneNumber]: false,
    [second.phoneNumber]: false,
    [third.phoneNumber]: true,
  });
  await arrange(client('update-phone-number', { isDefault: true }, { phoneNumber: second.phoneNumber }));
  expect(await flags()).toEqual({
    [first.phoneNumber]: false,
    [second.phoneNumber]: true,
    [third.phoneNumber]: false,
  });
  expect((await assigned(client, admin, { isDefault: false })).isDefault).toBe(false);
});

test('After the default number of a user was removed, there is none until another is made the default', async () => {
  const first = await assigned(client, rep);
  const second = await assigned(client, rep);
  await arrange(client('remove-phone-number', undefined, { phoneNumber: first.phoneNumber }));
  expect(await flags()).toEqual({ [second.phoneNumber]: false });
  const third = await assigned(client, rep);
  expect(third.isDefault).toBe(true);
});

test('A user has one default number, however many are made the default at once', async () => {
  const assignments = await Promise.all(
    Array.from({ length: 10 }, () => assigned(client, rep, { isDefault: true })),
  );
  const defaults = async () => (await listed()).filter(({ isDefault }) => isDefault);
  expect(await listed()).toHaveLength(10);
  expect(await defaults()).toHaveLength(1);
  await Promise.all(
    assignments.map(({ phoneNumber }) => client('update-phone-number', { isDefault: true }, { phoneNumber })),
  );
  expect(await defaults()).toHaveLength(1);
});

test('A user may have 100 numbers, and not 101', async () => {
  const { userId } = rep;
  const { table } = product.tableOf(admin.organizationId);
  const numbers = Array.from({ length: 99 }, (_, index) => numberAt(index));
  await table.commit([table.add(userNumbersKey(userId), { userId, numbers })]);
  await assigned(client, rep);
  const body = { userId, provider: 'twilio', phoneNumber: newPhoneNumber() };
  expect(outcome(await client('assign-phone-number', body))).toEqual(
    problem(409, 'Conflict', 'The user already has 100 phone numbers, the maximum. Remove one first.'),
  );
  expect(await listed()).toHaveLength(100);
});

test('The secret of a number is in no answer, and stays until it is changed', async () => {
  const owner = () => numberOwner(identityOf(product), phoneNumber);
  const phoneNumber = newPhoneNumber();
  const body = { userId: rep.userId, provider: 'twilio', phoneNumber, secret: 'Unmistakable1' };
  const path = { phoneNumber };
  const answers = [
    await client('assign-phone-number', body),
    await client('assign-phone-number', body),
    await client('update-phone-number', { label: 'Desk' }, path),
    await above('list-phone-numbers'),
    await client('read-organization'),
    await product.call('read-user', { token: admin.token, path: { id: rep.userId } }),
    await product.call('list-users', { token: admin.token }),
  ];
  const { organizationId } = admin;
  const { userId } = rep;
  expect(await owner()).toEqual({ organizationId, userId, provider: 'twilio', secret: 'Unmistakable1' });
  answers.push(await client('update-phone-number', { secret: 'Unmistakable2', provider: 'other' }, path));
  expect(await owner()).toEqual({ organizationId, userId, provider: 'other', secret: 'Unmistakable2' });
  answers.push(await client('update-phone-number', { secret: '' }, path));
  expect(await owner()).toEqual({ organizationId, userId, provider: 'other' });
  answers.push(await client('remove-phone-number', undefined, path));
  expect(await owner()).toBeUndefined();
  expect(answers.map(({ status }) => status)).toEqual([201, 409, 200, 200, 200, 200, 200, 200, 200, 200]);
  for (const { text } of answers) {
    expect(text).not.toMatch(/secret|Unmistakable/i);
  }
});
