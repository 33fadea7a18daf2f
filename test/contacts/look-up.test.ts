import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { contactsClient, hoursAgo, newContactsClient } from './client.ts';

const { product, admin, head, rep, otherRep, foreignAdmin } = await setUpTenants();
const contacts = contactsClient(product, admin);
const byRep = contactsClient(product, rep);

const lookUp = (query: Record<string, string>, { token }: Person = admin) =>
  product.call('look-up-contact', { token, query });
type Query = Record<string, string>;
const found = async (query: Query, person?: Person) => expectStatus(await lookUp(query, person), 200).data;

test('A contact is found by any of its phone numbers, in any usual notation', async () => {
  const [value, other] = [newPhoneNumber(), newPhoneNumber()];
  const record = await contacts.created({ firstName: 'Phone', phoneNumbers: [{ value }, { value: other }] });
  for (const phone of [
    value,
    other,
    `00${value.slice(1)}`,
    `tel:${value}`,
    `${value.slice(0, 5)}-${value.slice(5)}`,
  ]) {
    expect(await found({ phone })).toEqual(record);
  }
  expect(await found({ phone: newPhoneNumber() })).toBeNull();
  for (const phone of ['123', 'no number', '+', '٤٢']) {
    expect(await found({ phone })).toBeNull();
  }
});

test('A contact is found by its email address in any case and width', async () => {
  const record = await contacts.created({ firstName: 'Mail', email: 'Straße.Müller@Example.com' });
  for (const email of [
    'straße.müller@example.com',
    ' STRAßE.MÜLLER@EXAMPLE.COM ',
    'straße.müller@ｅxample.com',
  ]) {
    expect(await found({ email })).toEqual(record);
  }
  expect(await found({ email: 'nobody@example.com' })).toBeNull();
  expect(await found({ email: 'none' })).toBeNull();
});

test('A contact is found by the id of another system, exactly as it is', async () => {
  const record = await contacts.created({ firstName: 'External', externalId: 'Crm-1' });
  expect(await found({ externalId: 'Crm-1' })).toEqual(record);
  expect(await found({ externalId: 'crm-1' })).toBeNull();
});

test('A contact is found by what it has now, and no more by what it had, nor once it is deleted', async () => {
  const [phone, next] = [newPhoneNumber(), newPhoneNumber()];
  const { _id } = await contacts.created({
    ...{ email: 'before@example.com', externalId: 'before' },
    phoneNumbers: [{ value: phone }],
  });
  const body = { email: 'after@example.com', externalId: 'after', phoneNumbers: [{ value: next }] };
  const { data } = expectStatus(await contacts.update(_id, body), 200);
  const were = [{ phone }, { email: 'before@example.com' }, { externalId: 'before' }];
  const are = [{ phone: next }, { email: 'after@example.com' }, { externalId: 'after' }];
  for (const query of were) {
    expect(await found(query as Query)).toBeNull();
  }
  for (const query of are) {
    expect(await found(query as Query)).toEqual(data);
  }
  await arrange(contacts.remove(_id));
  for (const query of are) {
    expect(await found(query as Query)).toBeNull();
  }
});

test('Of several contacts with an email address, each person finds the oldest that they may see', async () => {
  const email = 'info@example.com';
  const hidden = await contactsClient(product, otherRep).created({ email }, hoursAgo(9));
  await byRep.created({ email: 'INFO@example.com' }, hoursAgo(5));
  const oldest = await contacts.created({ email, owner: rep.userId }, hoursAgo(6));
  for (const [person, record] of [
    [admin, hidden],
    [otherRep, hidden],
    [rep, oldest],
    [head, oldest],
  ] as const) {
    expect(await found({ email }, person)).toEqual(record);
  }
});

test('A contact that a person may not see is not found by them, whatever they send', async () => {
  const value = newPhoneNumber();
  await byRep.created({ email: 'hidden@example.com', externalId: 'hidden', phoneNumbers: [{ value }] });
  for (const query of [{ phone: value }, { email: 'hidden@example.com' }, { externalId: 'hidden' }]) {
    expect(await found(query as Query, rep)).not.toBeNull();
    expect(await found(query as Query, head)).not.toBeNull();
    expect(await found(query as Query, otherRep)).toBeNull();
    expect(await found(query as Query, foreignAdmin)).toBeNull();
  }
});

test('More contacts than one page with the same email address, none of which a person may see, hide none that they may', async () => {
  const { admin: own, ...many } = await newContactsClient(product);
  const colleague = await product.newColleague(own);
  const email = 'all@example.com';
  for (let n = 0; n < 130; n += 10) {
    await Promise.all(Array.from({ length: 10 }, () => many.created({ email }, hoursAgo(200 - n))));
  }
  expect(await found({ email }, colleague)).toBeNull();
  const { _id } = await contactsClient(product, colleague).created({ email });
  expect((await found({ email }, colleague))._id).toBe(_id);
});

test.each([
  {},
  { phone: '' },
  { phone: '+15551234567', email: 'a@example.com' },
  { email: 'a@example.com', externalId: 'x' },
])('A look-up by %j is refused, because it takes exactly one', async (query) => {
  const { status, body } = await lookUp(query as Query);
  expect({ status, message: body.message }).toEqual({
    status: 400,
    message: 'Send exactly one of phone, email and externalId.',
  });
});
