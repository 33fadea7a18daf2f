import { beforeEach, expect, test } from 'vitest';
import { applicationsClient } from '../applications/client.ts';
import { type ContactsClient, contactsClient } from '../contacts/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, outcome } from '../harness/tenants.ts';
import { type CustomFieldsClient, customFieldsClient } from './client.ts';

const product = await setUpProduct();
let admin: Person;
let fields: CustomFieldsClient;
let contacts: ContactsClient;
beforeEach(async () => {
  admin = await product.newOrganization();
  fields = customFieldsClient(product, admin);
  contacts = contactsClient(product, admin);
});

const invalid = (message: string) => ({ status: 400, body: { error: 'Invalid request', message } });
const options = ['Red', 'Blue'];
const idOfNobody = '01KF0E958BBJWDVZZ555FVJ18T';

test.each<
  [type: string, taken: readonly [sent: unknown, stored: unknown][], refused: unknown[], what: string]
>([
  [
    'text',
    [
      ['a', 'a'],
      ['', ''],
    ],
    [1, true, ['a']],
    'must be a string',
  ],
  [
    'number',
    [
      [1.5, 1.5],
      [0, 0],
    ],
    ['1.5', true, [1]],
    'must be a number',
  ],
  [
    'boolean',
    [
      [true, true],
      [false, false],
    ],
    ['true', 1, 'yes'],
    'must be true or false',
  ],
  [
    'date',
    [['2026-02-28', '2026-02-28']],
    ['2026-02-30', '28.02.2026', '2026-02-28T10:00Z', 1],
    'must be a date (YYYY-MM-DD)',
  ],
  [
    'dateTime',
    [['2026-02-28T10:00:00+02:00', '2026-02-28T08:00:00.000Z']],
    ['2026-02-28', 'now', 1],
    'must be an ISO 8601 date-time',
  ],
  [
    'oneOf',
    [
      ['Red', 'Red'],
      ['BLUE', 'Blue'],
    ],
    ['Green', ['Red'], 1],
    'must be one of: Red, Blue',
  ],
  [
    'anyOf',
    [
      [
        ['blue', 'Red', 'Blue'],
        ['Blue', 'Red'],
      ],
      [[], []],
    ],
    ['Red', ['Green'], [1]],
    'must be a list of: Red, Blue',
  ],
  [
    'url',
    [['https://example.com/a?b=c', 'https://example.com/a?b=c']],
    ['example.com', 'ftp://example.com', 'javascript:alert(1)', 1],
    'must be an address that begins with http:// or https://',
  ],
  ['user', [], [idOfNobody, 'ada@example.com', 1], 'must be the id of a user of this organization'],
])(
  'A field of type %s takes what fits, and a 400 names the field for anything else',
  async (type, taken, refused, what) => {
    await fields.defined({ key: 'it', type, ...(type.endsWith('Of') && { options }) });
    const { _id } = await contacts.created({ firstName: 'Ada', customFields: { free: 'x' } });
    for (const [sent, stored] of taken) {
      const { customFields } = await contacts.created({ firstName: 'Ada', customFields: { it: sent } });
      expect(customFields).toEqual({ it: stored });
      const { data } = expectStatus(await contacts.update(_id, { setCustomFields: { it: sent } }), 200);
      expect(data.customFields).toEqual({ free: 'x', it: stored });
    }
    for (const it of refused) {
      expect(outcome(await contacts.create({ firstName: 'Ada', customFields: { it } }))).toEqual(
        invalid(`customFields.it ${what}`),
      );
      expect(outcome(await contacts.update(_id, { customFields: { it } }))).toEqual(
        invalid(`customFields.it ${what}`),
      );
      expect(outcome(await contacts.update(_id, { setCustomFields: { it } }))).toEqual(
        invalid(`setCustomFields.it ${what}`),
      );
    }
  },
);

test('A field of type user takes the id of a user of the organization', async () => {
  await fields.defined({ key: 'agent', type: 'user' });
  const { customFields } = await contacts.created({
    firstName: 'Ada',
    customFields: { agent: admin.userId },
  });
  expect(customFields).toEqual({ agent: admin.userId });
  const foreign = await product.newOrganization();
  expect(
    outcome(await contacts.create({ firstName: 'Ada', customFields: { agent: foreign.userId } })),
  ).toEqual(invalid('customFields.agent must be the id of a user of this organization'));
});

test('A number keeps all of its digits', async () => {
  await fields.defined({ key: 'price', type: 'number' });
  const body = '{"firstName": "Ada", "customFields": {"price": 120210000000000123.00}}';
  const { text } = await product.call('create-contact', { token: admin.token, body });
  expect(text).toContain('"price":120210000000000123.00');
});

test('A time without an offset is one of the time zone of the organization', async () => {
  await fields.defined({ key: 'due', type: 'dateTime' });
  expectStatus(
    await product.call('update-business-hours', {
      token: admin.token,
      path: { organizationId: admin.organizationId },
      body: { timezone: 'Asia/Tokyo' },
    }),
    200,
  );
  const { customFields } = await contacts.created({
    firstName: 'Ada',
    customFields: { due: '2026-02-28T10:00' },
  });
  expect(customFields).toEqual({ due: '2026-02-28T01:00:00.000Z' });
});

test('Null takes a defined field away, and an empty text counts as null where it cannot be a value', async () => {
  await fields.defined({ key: 'age', type: 'number' });
  const created = await contacts.created({ firstName: 'Ada', customFields: { age: '', free: null } });
  expect(created.customFields).toEqual({ free: null });
  await contacts.update(created._id, { setCustomFields: { age: 5 } });
  const { data } = expectStatus(await contacts.update(created._id, { setCustomFields: { age: '' } }), 200);
  expect(data.customFields).toEqual({ free: null });
});

test('Values from before a definition stay, also while other fields change, and fit or not once it is gone', async () => {
  const contact = await contacts.created({ firstName: 'Ada', customFields: { age: 'old' } });
  const { _id } = await fields.defined({ key: 'age', type: 'number' });
  const { data } = expectStatus(
    await contacts.update(contact._id, { lastName: 'King', setCustomFields: { size: 1 } }),
    200,
  );
  expect(data.customFields).toEqual({ age: 'old', size: 1 });
  expectStatus(await fields.remove(_id), 200);
  const after = expectStatus(await contacts.update(contact._id, { customFields: { age: 'older' } }), 200);
  expect(after.data.customFields).toEqual({ age: 'older' });
});

test('A required field is asked of new contacts and of itself, and not of changes of other fields', async () => {
  const before = await contacts.created({ firstName: 'Before' });
  await fields.defined({ key: 'tier', type: 'text', required: true });
  const missing = invalid('customFields.tier is required');
  for (const customFields of [undefined, {}, { tier: null }, { tier: ' ' }]) {
    expect(outcome(await contacts.create({ firstName: 'Ada', customFields }))).toEqual(missing);
  }
  const { _id } = await contacts.created({ firstName: 'Ada', customFields: { tier: 'gold' } });
  for (const change of [
    { customFields: {} },
    { setCustomFields: { tier: null } },
    { customFields: { tier: '' } },
  ]) {
    expect(outcome(await contacts.update(_id, change))).toEqual(missing);
  }
  expectStatus(await contacts.update(_id, { lastName: 'King', setCustomFields: { other: 1 } }), 200);
  expectStatus(await contacts.update(before._id, { firstName: 'Later', customFields: { other: 1 } }), 200);
  expect(outcome(await contacts.update(before._id, { setCustomFields: { tier: '' } }))).toEqual(missing);
});

test('Fields of applications have definitions of their own', async () => {
  await fields.defined({ key: 'amount', type: 'number', appliesTo: 'application', required: true });
  const { _id: contactId } = await contacts.created({ firstName: 'Ada', customFields: { amount: 'free' } });
  const applications = applicationsClient(product, admin);
  const create = (customFields?: object) => applications.create({ contactId, name: 'Loan', customFields });
  expect(await create()).toMatchObject({ status: 400, body: { message: 'customFields.amount is required' } });
  expect(await create({ amount: '5' })).toMatchObject({
    status: 400,
    body: { message: 'customFields.amount must be a number' },
  });
  const { _id } = expectStatus(await create({ amount: 5 }), 201).data;
  expect(await applications.update(_id, { customFields: { amount: 'x' } })).toMatchObject({ status: 400 });
  expectStatus(await applications.update(_id, { name: 'Loan 2' }), 200);
});

test('A board finds contacts by typed fields: by an option, one of several, a number, a boolean and a date', async () => {
  await fields.defined({ key: 'colour', type: 'oneOf', options });
  await fields.defined({ key: 'colours', type: 'anyOf', options });
  const customFields = { colour: 'red', colours: ['BLUE', 'red'], age: 5, ok: true, day: '2026-02-28' };
  await contacts.created({ firstName: 'Ada', customFields });
  await contacts.created({
    firstName: 'Bob',
    customFields: { colour: 'blue', colours: [], age: 6, ok: false },
  });
  for (const customFilters of [
    ...[{ colour: '^red$' }, { colours: 'blue' }, { colour: ['red', 'green'] }],
    ...[{ age: 5 }, { ok: true }, { day: '^2026-02' }],
  ]) {
    const found = await contacts.everything({ customFilters });
    expect(found.map(({ firstName }) => firstName)).toEqual(['Ada']);
  }
});
