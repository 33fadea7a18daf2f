import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { contactsClient, newContactsClient } from './client.ts';

const product = await setUpProduct();
const contacts = await newContactsClient(product);

const withNumber = (value: unknown, more: object = {}) => ({
  firstName: 'P',
  phoneNumbers: [{ value, ...more }],
});

const taken = (contactId: string) => ({
  error: 'Phone number taken',
  message: 'Another contact of this organization already has this phone number.',
  contactId,
});

test.each(['15550100001', '+1234567890123456', '+1555010000a', '+1555\u0000010'])(
  'A phone number written %j is refused by name and never echoed',
  async (value) => {
    expect(outcome(await contacts.create(withNumber(value)))).toEqual({
      status: 400,
      body: {
        error: 'Invalid request',
        message: 'phoneNumbers[0].value must be an E.164 phone number, like +15551234567',
      },
    });
  },
);

test('A phone number is primary when it says so, and the first one otherwise; there is one primary', async () => {
  const primaries = async (flags: (boolean | undefined)[]) =>
    (
      await contacts.created({
        firstName: 'P',
        phoneNumbers: flags.map((isPrimary) => ({ value: newPhoneNumber(), isPrimary })),
      })
    ).phoneNumbers.map(({ isPrimary }) => isPrimary);
  expect(await primaries([undefined, undefined])).toEqual([true, false]);
  expect(await primaries([false, true, true])).toEqual([false, true, false]);
});

test('A phone number of the organization belongs to one contact: another, new or edited, gets a 409 that says whose it is', async () => {
  const value = newPhoneNumber();
  const { _id: holder } = await contacts.created(withNumber(value));
  const { _id: other } = await contacts.created({ firstName: 'Other' });
  for (const response of [
    await contacts.create(withNumber(value)),
    await contacts.create(withNumber(`00${value.slice(1, 4)} ${value.slice(4)}`)),
    await contacts.update(other, withNumber(value)),
    await contacts.update(other, { phoneNumbers: [{ value: newPhoneNumber() }, { value }] }),
  ]) {
    expect(outcome(response)).toEqual({ status: 409, body: taken(holder) });
  }
  expect((await contacts.read(other)).body.data.phoneNumbers).toEqual([]);
  expect(await contacts.everything({ search: value })).toHaveLength(1);
});

test('A phone number of the organization leaves nothing of a refused contact: its other numbers stay free', async () => {
  const [value, free] = [newPhoneNumber(), newPhoneNumber()];
  await contacts.created(withNumber(value));
  const both = { firstName: 'B', phoneNumbers: [{ value: free }, { value }] };
  expect((await contacts.create(both)).status).toBe(409);
  expect((await contacts.create(withNumber(free))).status).toBe(201);
});

test('A phone number of the organization is free in another organization, and free again once its contact is deleted or has it no more', async () => {
  const [value, kept] = [newPhoneNumber(), newPhoneNumber()];
  const { _id } = await contacts.created({ firstName: 'A', phoneNumbers: [{ value }, { value: kept }] });
  expect((await (await newContactsClient(product)).create(withNumber(value))).status).toBe(201);
  expect((await contacts.update(_id, { phoneNumbers: [{ value: kept }] })).status).toBe(200);
  const next = await contacts.created(withNumber(value));
  expect((await contacts.create(withNumber(kept))).body.contactId).toBe(_id);
  expect((await contacts.update(_id, { phoneNumbers: [] })).status).toBe(200);
  expect((await contacts.create(withNumber(kept))).status).toBe(201);
  await arrange(contacts.remove(next._id));
  const { _id: last } = await contacts.created(withNumber(value));
  expect((await contacts.create(withNumber(value))).body.contactId).toBe(last);
});

test('A phone number of the organization stays its contact’s through edits, moves and a new label', async () => {
  const value = newPhoneNumber();
  const { _id } = await contacts.created(withNumber(value));
  expect((await contacts.update(_id, { lastName: 'Edited' })).status).toBe(200);
  expect((await contacts.update(_id, withNumber(value, { label: 'home' }))).status).toBe(200);
  expect((await contacts.move(_id, { stage: 'Won' })).status).toBe(200);
  expect((await contacts.create(withNumber(value))).body).toEqual(taken(_id));
});

test('A phone number of the organization can change places with another: the one gives up first, then takes', async () => {
  const [x, y, between] = [newPhoneNumber(), newPhoneNumber(), newPhoneNumber()];
  const { _id: a } = await contacts.created(withNumber(x));
  const { _id: b } = await contacts.created(withNumber(y));
  expect((await contacts.update(a, withNumber(y))).body).toEqual(taken(b));
  expect((await contacts.update(a, withNumber(between))).status).toBe(200);
  expect((await contacts.update(b, withNumber(x))).status).toBe(200);
  expect((await contacts.update(a, withNumber(y))).status).toBe(200);
  expect((await contacts.create(withNumber(x))).body.contactId).toBe(b);
  expect((await contacts.create(withNumber(y))).body.contactId).toBe(a);
  expect((await contacts.create(withNumber(between))).status).toBe(201);
});

test('A phone number that a contact out of sight has is taken just so: the contact is named only to those who may see it', async () => {
  const { admin } = contacts;
  const [rep, colleague] = [await product.newColleague(admin), await product.newColleague(admin)];
  const value = newPhoneNumber();
  const { _id } = await contactsClient(product, colleague).created(withNumber(value));
  const { contactId: _, ...unnamed } = taken(_id);
  const own = contactsClient(product, rep);
  const { _id: ownId } = await own.created({ firstName: 'Own' });
  expect(outcome(await own.create(withNumber(value)))).toEqual({ status: 409, body: unnamed });
  expect(outcome(await own.update(ownId, withNumber(value)))).toEqual({ status: 409, body: unnamed });
  for (const person of [colleague, admin]) {
    const response = await contactsClient(product, person).create(withNumber(value));
    expect(outcome(response)).toEqual({ status: 409, body: taken(_id) });
  }
  const head = await headOf(colleague);
  expect(outcome(await contactsClient(product, head).create(withNumber(value)))).toEqual({
    status: 409,
    body: taken(_id),
  });
});

/** A DEPARTMENT_HEAD of a department with this person. */
async function headOf(person: Person): Promise<Person> {
  const { admin } = contacts;
  const { token } = admin;
  const { data } = await arrange(
    product.call('create-department', { token, body: { name: newPhoneNumber() } }),
  );
  const body = { departmentIds: [data._id] };
  await arrange(product.call('update-user', { token, path: { id: person.userId }, body }));
  return product.newColleague(admin, 'DEPARTMENT_HEAD', body);
}
