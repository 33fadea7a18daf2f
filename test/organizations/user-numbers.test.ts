import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { numberOwner, userNumbersKey } from '../../shared/organizations/phone-assignments.ts';
import { identityOf } from '../auth/records.ts';
import { type Person, type Product, startProduct } from '../harness/product.ts';
import { newPhoneNumber, outcome } from '../harness/world.ts';
import { assigned, assignmentsIn, numberAt, type Office, officeOf, problem } from './office.ts';

let product: Product;
let superadmin: Person;
let admin: Person;
let rep: Person;
let office: Office;
/** The same organization, as the SUPERADMIN calls it. */
let above: Office;
beforeAll(async () => {
  product = await startProduct();
  superadmin = await product.newSuperadmin();
});
beforeEach(async () => {
  admin = await product.newOrganization();
  rep = await product.newColleague(admin);
  office = officeOf(product, admin);
  above = officeOf(product, superadmin, admin.organizationId);
});
afterAll(() => product.stop());

const listed = () => assignmentsIn(above);
const flags = async () =>
  Object.fromEntries((await listed()).map(({ phoneNumber, isDefault }) => [phoneNumber, isDefault]));

describe('Of the numbers of a user', () => {
  test('the first is the default one unless it says otherwise, and any other that says so takes its place', async () => {
    const first = await assigned(office, rep);
    const second = await assigned(office, rep);
    expect([first.isDefault, second.isDefault]).toEqual([true, false]);
    const third = await assigned(office, rep, { isDefault: true });
    expect(await flags()).toEqual({
      [first.phoneNumber]: false,
      [second.phoneNumber]: false,
      [third.phoneNumber]: true,
    });
    await office('update-phone-number', { isDefault: true }, { phoneNumber: second.phoneNumber });
    expect(await flags()).toEqual({
      [first.phoneNumber]: false,
      [second.phoneNumber]: true,
      [third.phoneNumber]: false,
    });
    expect((await assigned(office, admin, { isDefault: false })).isDefault).toBe(false);
  });

  test('none is the default one after that was removed, until another is made it', async () => {
    const first = await assigned(office, rep);
    const second = await assigned(office, rep);
    await office('remove-phone-number', undefined, { phoneNumber: first.phoneNumber });
    expect(await flags()).toEqual({ [second.phoneNumber]: false });
    const third = await assigned(office, rep);
    expect(third.isDefault).toBe(true);
  });

  test('one is the default one, however many are made it at once', async () => {
    const assignments = await Promise.all(
      Array.from({ length: 10 }, () => assigned(office, rep, { isDefault: true })),
    );
    const defaults = async () => (await listed()).filter(({ isDefault }) => isDefault);
    expect(await listed()).toHaveLength(10);
    expect(await defaults()).toHaveLength(1);
    await Promise.all(
      assignments.map(({ phoneNumber }) =>
        office('update-phone-number', { isDefault: true }, { phoneNumber }),
      ),
    );
    expect(await defaults()).toHaveLength(1);
  });

  test('100 may be assigned, and not 101', async () => {
    const { userId } = rep;
    const { table } = product.tableOf(admin.organizationId);
    const numbers = Array.from({ length: 99 }, (_, index) => numberAt(index));
    await table.commit([table.add(userNumbersKey(userId), { userId, numbers })]);
    await assigned(office, rep);
    const body = { userId, provider: 'twilio', phoneNumber: newPhoneNumber() };
    expect(outcome(await office('assign-phone-number', body))).toEqual(
      problem(409, 'Conflict', 'The user already has 100 phone numbers, the maximum. Remove one first.'),
    );
    expect(await listed()).toHaveLength(100);
  });
});

test('The secret of a number is in no answer, and stays until it is changed', async () => {
  const owner = () => numberOwner(identityOf(product), phoneNumber);
  const phoneNumber = newPhoneNumber();
  const body = { userId: rep.userId, provider: 'twilio', phoneNumber, secret: 'Unmistakable1' };
  const path = { phoneNumber };
  const answers = [
    await office('assign-phone-number', body),
    await office('assign-phone-number', body),
    await office('update-phone-number', { label: 'Desk' }, path),
    await above('list-phone-numbers'),
    await office('read-organization'),
    await product.call('read-user', { token: admin.token, path: { id: rep.userId } }),
    await product.call('list-users', { token: admin.token }),
  ];
  const { organizationId } = admin;
  const { userId } = rep;
  expect(await owner()).toEqual({ organizationId, userId, provider: 'twilio', secret: 'Unmistakable1' });
  answers.push(await office('update-phone-number', { secret: 'Unmistakable2', provider: 'other' }, path));
  expect(await owner()).toEqual({ organizationId, userId, provider: 'other', secret: 'Unmistakable2' });
  answers.push(await office('update-phone-number', { secret: '' }, path));
  expect(await owner()).toEqual({ organizationId, userId, provider: 'other' });
  answers.push(await office('remove-phone-number', undefined, path));
  expect(await owner()).toBeUndefined();
  expect(answers.map(({ status }) => status)).toEqual([201, 409, 200, 200, 200, 200, 200, 200, 200, 200]);
  for (const { text } of answers) {
    expect(text).not.toMatch(/secret|Unmistakable/i);
  }
});
