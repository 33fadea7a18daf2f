import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../harness/product.ts';
import { expectStatus, startWorld, type World } from '../harness/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.stop());

const create = (body: Record<string, unknown>, { token }: Person = world.admin) =>
  world.product.call('create-listing', { token, body });
const remove = (id: string, { token }: Person = world.admin) =>
  world.product.call('delete-listing', { token, path: { id } });

describe('A marketplace listing', () => {
  it('keeps whatever content it is given', async () => {
    const content = { price: 490, constructor: { nested: [1, null, 'x'] }, '': true };
    const { data } = expectStatus(await create({ name: 'Package', content }), 201);
    const token = world.rep.token;
    const read = await world.product.call('read-listing', { token, path: { id: data._id } });
    expect(expectStatus(read, 200)).toEqual({ success: true, data });
    expect(data).toMatchObject({ name: 'Package', description: '', content });
  });

  it('has at most 64 KB of content', async () => {
    const content = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
    expect((await create({ name: 'Full', content: content(64 * 1024) })).status).toBe(201);
    const { status, body } = await create({ name: 'Too full', content: content(64 * 1024 + 1) });
    expect({ status, body }).toEqual({
      status: 400,
      body: { success: false, message: 'content must be at most 64 KB' },
    });
  });

  it('is deleted by an ADMIN of its organization: {success: true, message}', async () => {
    const { _id } = expectStatus(await create({ name: 'Package' }), 201).data;
    expect((await remove(_id, world.rep)).status).toBe(403);
    expect((await remove(_id)).body).toEqual({ success: true, message: 'Listing deleted' });
    const { status, body } = await remove(_id);
    expect({ status, body }).toEqual({ status: 404, body: { success: false, message: 'Listing not found' } });
  });

  it('is deleted once when many try at once', async () => {
    const { _id } = expectStatus(await create({ name: 'Package' }), 201).data;
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(_id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
  });

  it("is listed among the organization's alone, newest first", async () => {
    const admin = await world.product.newOrganization();
    const first = expectStatus(await create({ name: 'first' }, admin), 201).data;
    const second = expectStatus(await create({ name: 'second' }, admin), 201).data;
    const list = await world.product.call('list-listings', { token: admin.token });
    expect(expectStatus(list, 200)).toEqual({ success: true, data: [second, first], nextCursor: null });
  });
});
