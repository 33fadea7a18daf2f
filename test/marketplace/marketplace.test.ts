import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;

const create = (body: Record<string, unknown>, { token }: Person = tenants.admin) =>
  product.call('create-listing', { token, body });
const remove = (id: string, { token }: Person = tenants.admin) =>
  product.call('delete-listing', { token, path: { id } });

test('A marketplace listing keeps whatever content it is given', async () => {
  const content = { price: 490, constructor: { nested: [1, null, 'x'] }, '': true };
  const { data } = expectStatus(await create({ name: 'Package', content }), 201);
  const token = rep.token;
  const read = await product.call('read-listing', { token, path: { id: data._id } });
  expect(expectStatus(read, 200)).toEqual({ success: true, data });
  expect(data).toMatchObject({ name: 'Package', description: '', content });
});

test('A marketplace listing has at most 64 KB of content', async () => {
  const content = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
  expect((await create({ name: 'Full', content: content(64 * 1024) })).status).toBe(201);
  expect(outcome(await create({ name: 'Too full', content: content(64 * 1024 + 1) }))).toEqual(
    failure(400, 'content must be at most 64 KB'),
  );
});

test('A marketplace listing is deleted by an ADMIN of its organization: {success: true, message}', async () => {
  const { _id } = expectStatus(await create({ name: 'Package' }), 201).data;
  expect((await remove(_id, rep)).status).toBe(403);
  expect((await remove(_id)).body).toEqual({ success: true, message: 'Listing deleted' });
  expect(outcome(await remove(_id))).toEqual(failure(404, 'Listing not found'));
});

test('A marketplace listing is deleted once when many try at once', async () => {
  const { _id } = expectStatus(await create({ name: 'Package' }), 201).data;
  const responses = await Promise.all(Array.from({ length: 10 }, () => remove(_id)));
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
});

test("A marketplace listing is listed among the organization's alone, newest first", async () => {
  const admin = await product.newOrganization();
  const first = expectStatus(await create({ name: 'first' }, admin), 201).data;
  const second = expectStatus(await create({ name: 'second' }, admin), 201).data;
  const list = await product.call('list-listings', { token: admin.token });
  expect(expectStatus(list, 200)).toEqual({ success: true, data: [second, first], nextCursor: null });
});
