import { expect, test } from 'vitest';
import type { SecretOpener } from '../../shared/kernel/secrets/sealed-secrets.ts';
import {
  openSecrets,
  readNumberOwner,
  userNumbersKey,
} from '../../shared/organizations/phone-assignments.ts';
import { identityTable, scope } from '../auth/records.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { arrange, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { assigned, assignmentsIn, numberAt, problem } from './client.ts';
import { staffedOrganizationEach } from './each.ts';

const product = await setUpProduct();
const own = await staffedOrganizationEach(product);
const { client, above } = own;

const listed = () => assignmentsIn(above);
const flags = async () =>
  Object.fromEntries((await listed()).map(({ phoneNumber, isDefault }) => [phoneNumber, isDefault]));

test('The first number of a user is the default number unless the request says otherwise, and another replaces it on request', async () => {
  const first = await assigned(client, own.rep);
  const second = await assigned(client, own.rep);
  expect([first.isDefault, second.isDefault]).toEqual([true, false]);
  const third = await assigned(client, own.rep, { isDefault: true });
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
  expect((await assigned(client, own.admin, { isDefault: false })).isDefault).toBe(false);
});

test('After the default number of a user was removed, there is none until another is made the default', async () => {
  const first = await assigned(client, own.rep);
  const second = await assigned(client, own.rep);
  await arrange(client('remove-phone-number', undefined, { phoneNumber: first.phoneNumber }));
  expect(await flags()).toEqual({ [second.phoneNumber]: false });
  const third = await assigned(client, own.rep);
  expect(third.isDefault).toBe(true);
});

test('A user has one default number, however many are made the default at once', async () => {
  const assignments = await Promise.all(
    Array.from({ length: 10 }, () => assigned(client, own.rep, { isDefault: true })),
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
  const { userId } = own.rep;
  const { table } = product.tableOf(own.admin.organizationId);
  const numbers = Array.from({ length: 99 }, (_, index) => numberAt(index));
  await table.commit([table.add(userNumbersKey(userId), { userId, numbers })]);
  await assigned(client, own.rep);
  const body = { userId, provider: 'twilio', phoneNumber: newPhoneNumber() };
  expect(outcome(await client('assign-phone-number', body))).toEqual(
    problem(409, 'Conflict', 'The user already has 100 phone numbers, the maximum. Remove one first.'),
  );
  expect(await listed()).toHaveLength(100);
});

test('The secret of a number is in no response, and stays until it is changed', async () => {
  const phoneNumber = newPhoneNumber();
  const secrets = product.providers.secrets?.(scope()) as SecretOpener;
  const owner = async () => {
    const stored = await readNumberOwner(identityTable(product), phoneNumber);
    const [secret] = await openSecrets(secrets, phoneNumber, stored === undefined ? [] : [stored]);
    return stored && { ...stored, ...(secret !== undefined && { secret }) };
  };
  const body = { userId: own.rep.userId, provider: 'twilio', phoneNumber, secret: 'Unmistakable1' };
  const path = { phoneNumber };
  const responses = [
    await client('assign-phone-number', body),
    await client('assign-phone-number', body),
    await client('update-phone-number', { label: 'Desk' }, path),
    await above('list-phone-numbers'),
    await client('read-organization'),
    await product.call('read-user', { token: own.admin.token, path: { id: own.rep.userId } }),
    await product.call('list-users', { token: own.admin.token }),
  ];
  const { organizationId } = own.admin;
  const { userId } = own.rep;
  expect(await owner()).toEqual({ organizationId, userId, provider: 'twilio', secret: 'Unmistakable1' });
  responses.push(await client('update-phone-number', { secret: 'Unmistakable2', provider: 'other' }, path));
  expect(await owner()).toEqual({ organizationId, userId, provider: 'other', secret: 'Unmistakable2' });
  responses.push(await client('update-phone-number', { secret: '' }, path));
  expect(await owner()).toEqual({ organizationId, userId, provider: 'other' });
  responses.push(await client('remove-phone-number', undefined, path));
  expect(await owner()).toBeUndefined();
  expect(responses.map(({ status }) => status)).toEqual([201, 409, 200, 200, 200, 200, 200, 200, 200, 200]);
  for (const { text } of responses) {
    expect(text).not.toMatch(/secret|Unmistakable/i);
  }
});
