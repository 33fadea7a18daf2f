import { beforeEach, expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { countStatuses, expectStatus, outcome } from '../harness/tenants.ts';
import { type CustomFieldsClient, customFieldsClient } from './client.ts';

const product = await setUpProduct();
let admin: Person;
let fields: CustomFieldsClient;
beforeEach(async () => {
  admin = await product.newOrganization();
  fields = customFieldsClient(product, admin);
});

const invalid = (message: string) => ({ status: 400, body: { error: 'Invalid request', message } });
const size = { key: 'size', label: 'Size', type: 'oneOf', options: ['S', 'M'], appliesTo: 'contact' };

test('POST /api/custom-fields defines a field, and GET lists all of the organization, oldest first', async () => {
  const { data, ...rest } = expectStatus(await fields.create(size), 201);
  expect(rest).toEqual({ success: true, message: 'Custom field defined' });
  expect(data).toEqual({
    _id: expect.any(String),
    ...size,
    required: false,
    createdAt: expect.any(String),
    updatedAt: data.createdAt,
  });
  const other = await fields.defined({ key: 'size', type: 'number', appliesTo: 'application' });
  expect(await fields.list()).toEqual([data, other]);
  expect(await fields.list({ appliesTo: 'application' })).toEqual([other]);
});

test('A key is unique among the fields of contacts, also among 20 definitions at once', async () => {
  const responses = await Promise.all(Array.from({ length: 20 }, () => fields.create(size)));
  expect(countStatuses(responses)).toEqual({ 201: 1, 409: 19 });
  expect(await fields.list()).toHaveLength(1);
});

test('PUT changes label, options and required, and refuses another key or type', async () => {
  const { _id } = await fields.defined(size);
  const changed = { label: 'Dress size', options: ['S', 'M', 'L'], required: true };
  const response = await fields.update(_id, { ...changed, key: 'size', type: 'oneOf' });
  expect(response).toMatchObject({ status: 200, body: { message: 'Custom field updated', data: changed } });
  expect(outcome(await fields.update(_id, { key: 'sizes' }))).toEqual(
    invalid('key cannot change. Define another field instead.'),
  );
  expect(outcome(await fields.update(_id, { type: 'anyOf' }))).toEqual(
    invalid('type cannot change. Define another field instead.'),
  );
  const same = await fields.update(_id, changed, new Date(Date.now() + 5_000));
  expect(same.body).toEqual({ success: true, message: 'No changes', data: response.body.data });
});

test('Options belong to oneOf and anyOf, which need them', async () => {
  expect(outcome(await fields.create({ ...size, options: [] }))).toEqual(
    invalid('options is required for a field of type oneOf'),
  );
  expect(outcome(await fields.create({ ...size, type: 'text' }))).toEqual(
    invalid('options is only for oneOf and anyOf'),
  );
  expect(outcome(await fields.create({ ...size, options: ['Straße', 'STRASSE'] }))).toEqual(
    invalid('options must not contain the same option twice'),
  );
});

test('A key is none that leads keep what does not fit under', async () => {
  expect(outcome(await fields.create({ ...size, key: 'size__raw' }))).toEqual(
    invalid('key must not end with __raw'),
  );
});

test('An organization has at most 100 definitions', async () => {
  for (let index = 0; index < 100; index += 1) {
    await fields.defined({ key: `field ${index}`, type: 'text' });
  }
  expect(await fields.create({ ...size })).toMatchObject({
    status: 409,
    body: { message: 'The organization already has 100 definitions, the maximum. Delete one first.' },
  });
});
