import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectStatus, startWorld, type World } from '../harness/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.stop());

const example = () => ({
  providerName: 'Example AI',
  gatewayUniqueName: randomUUID(),
  websiteUrl: 'https://example.com/models',
  modelDetails: [{ modelName: 'small-1', description: 'Quick' }],
});
const add = (body: Record<string, unknown>) =>
  world.product.call('create-ai-model', { token: world.superadmin.token, body });
const read = (id: string, { token } = world.rep) =>
  world.product.call('read-ai-model', { token, path: { id } });
const update = (id: string, body: Record<string, unknown>) =>
  world.product.call('update-ai-model', { token: world.superadmin.token, path: { id }, body });
const remove = (id: string) =>
  world.product.call('delete-ai-model', { token: world.superadmin.token, path: { id } });

const nameTaken = { success: false, message: 'Another AI model already has this gatewayUniqueName.' };

describe('An AI model', () => {
  it('is read by any signed-in user of any organization: {success: true, data: AI model registry entry}', async () => {
    const body = example();
    const { _id } = expectStatus(await add(body), 201).data;
    for (const person of [world.rep, world.foreignRep]) {
      const answer = await read(_id, person);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        data: { _id, ...body, createdAt: expect.any(String), updatedAt: expect.any(String) },
      });
    }
  });

  it('that does not exist is 404', async () => {
    const { status, body } = await read('nothing');
    expect({ status, body }).toEqual({
      status: 404,
      body: { success: false, message: 'AI model not found' },
    });
  });

  it('has a name for gateways that no other has: 409', async () => {
    const body = example();
    expectStatus(await add(body), 201);
    expect((await add(body)).body).toEqual(nameTaken);
    const other = expectStatus(await add(example()), 201).data;
    const renamed = await update(other._id, { gatewayUniqueName: body.gatewayUniqueName });
    expect({ status: renamed.status, body: renamed.body }).toEqual({ status: 409, body: nameTaken });
  });

  it('gives its name free when it is renamed or deleted', async () => {
    const body = example();
    const { _id } = expectStatus(await add(body), 201).data;
    expectStatus(await update(_id, { gatewayUniqueName: randomUUID() }), 200);
    const second = expectStatus(await add(body), 201).data;
    expectStatus(await remove(second._id), 200);
    expectStatus(await add(body), 201);
  });

  it('of one name, added 20 times at once, is added once', async () => {
    const body = example();
    const answers = await Promise.all(Array.from({ length: 20 }, () => add(body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });

  it('keeps what an update does not name', async () => {
    const body = example();
    const { _id } = expectStatus(await add(body), 201).data;
    const { data } = expectStatus(await update(_id, { providerName: 'Renamed' }), 200);
    expect(data).toMatchObject({ ...body, providerName: 'Renamed' });
  });

  it.each(['javascript:alert(1)', 'no address', 'ftp://example.com'])(
    'refuses the website %s',
    async (websiteUrl) => {
      const { status, body } = await add({ ...example(), websiteUrl });
      expect({ status, body }).toEqual({
        status: 400,
        body: { success: false, message: 'websiteUrl must be an http or https URL' },
      });
    },
  );

  it('is listed newest first, page by page', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.unshift(expectStatus(await add(example()), 201).data._id);
    }
    const token = world.rep.token;
    const list = (query: Record<string, string>) => world.product.call('list-ai-models', { token, query });
    const first = expectStatus(await list({ limit: '2' }), 200);
    expect(first.data.map(({ _id }: { _id: string }) => _id)).toEqual(ids.slice(0, 2));
    const next = expectStatus(await list({ limit: '1', cursor: first.nextCursor }), 200);
    expect(next.data[0]._id).toBe(ids[2]);
  });
});

describe('A page of a list', () => {
  it.each(['0', '101', '-1', '1.5', 'ten', ''])('cannot have the limit %j', async (limit) => {
    const { status, body } = await world.product.call('list-ai-models', {
      token: world.rep.token,
      query: { limit },
    });
    expect({ status, body }).toEqual({
      status: 400,
      body: { success: false, message: 'limit must be a whole number from 1 to 100' },
    });
  });

  it('cannot start at a cursor that no page answered', async () => {
    const { status, body } = await world.product.call('list-ai-models', {
      token: world.rep.token,
      query: { cursor: 'made-up' },
    });
    expect({ status, body }).toEqual({
      status: 400,
      body: { success: false, message: 'cursor must be a nextCursor of this list' },
    });
  });
});
