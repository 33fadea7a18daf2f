import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';

const { product, superadmin, rep, foreignRep } = await setUpTenants();

const example = () => ({
  providerName: 'Example AI',
  gatewayUniqueName: randomUUID(),
  websiteUrl: 'https://example.com/models',
  modelDetails: [{ modelName: 'small-1', description: 'Quick' }],
});

const add = (body: Record<string, unknown>) =>
  product.call('create-ai-model', { token: superadmin.token, body });
const read = (id: string, { token } = rep) => product.call('read-ai-model', { token, path: { id } });
const update = (id: string, body: Record<string, unknown>) =>
  product.call('update-ai-model', { token: superadmin.token, path: { id }, body });
const remove = (id: string) => product.call('delete-ai-model', { token: superadmin.token, path: { id } });

const nameTaken = { success: false, message: 'Another AI model already has this gatewayUniqueName.' };

test('An AI model is read by any signed-in user of any organization: {success: true, data: AI model registry entry}', async () => {
  const body = example();
  const { _id } = expectStatus(await add(body), 201).data;
  for (const person of [rep, foreignRep]) {
    expect(outcome(await read(_id, person))).toEqual({
      status: 200,
      body: {
        success: true,
        data: { _id, ...body, createdAt: expect.any(String), updatedAt: expect.any(String) },
      },
    });
  }
});

test('An AI model that does not exist is 404', async () => {
  expect(outcome(await read('nothing'))).toEqual(failure(404, 'AI model not found'));
});

test('An AI model has a name for gateways that no other has: 409', async () => {
  const body = example();
  expectStatus(await add(body), 201);
  expect((await add(body)).body).toEqual(nameTaken);
  const other = expectStatus(await add(example()), 201).data;
  const renamed = await update(other._id, { gatewayUniqueName: body.gatewayUniqueName });
  expect(outcome(renamed)).toEqual({ status: 409, body: nameTaken });
});

test('An AI model gives its name free when it is renamed or deleted', async () => {
  const body = example();
  const { _id } = expectStatus(await add(body), 201).data;
  expectStatus(await update(_id, { gatewayUniqueName: randomUUID() }), 200);
  const second = expectStatus(await add(body), 201).data;
  expectStatus(await remove(second._id), 200);
  expectStatus(await add(body), 201);
});

test('An AI model of one name, added 20 times at once, is added once', async () => {
  const body = example();
  const responses = await Promise.all(Array.from({ length: 20 }, () => add(body)));
  expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
});

test('An AI model keeps what an update does not name', async () => {
  const body = example();
  const { _id } = expectStatus(await add(body), 201).data;
  const { data } = expectStatus(await update(_id, { providerName: 'Renamed' }), 200);
  expect(data).toMatchObject({ ...body, providerName: 'Renamed' });
});

test.each(['javascript:alert(1)', 'no address', 'ftp://example.com'])(
  'An AI model refuses the website %s',
  async (websiteUrl) => {
    expect(outcome(await add({ ...example(), websiteUrl }))).toEqual(
      failure(400, 'websiteUrl must be an http or https URL'),
    );
  },
);

test('An AI model is listed newest first, page by page', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    ids.unshift(expectStatus(await add(example()), 201).data._id);
  }
  const token = rep.token;
  const list = (query: Record<string, string>) => product.call('list-ai-models', { token, query });
  const first = expectStatus(await list({ limit: '2' }), 200);
  expect(first.data.map(({ _id }: { _id: string }) => _id)).toEqual(ids.slice(0, 2));
  const next = expectStatus(await list({ limit: '1', cursor: first.nextCursor }), 200);
  expect(next.data[0]._id).toBe(ids[2]);
});

test.each(['0', '101', '-1', '1.5', 'ten'])('A page of a list cannot have the limit %j', async (limit) => {
  expect(outcome(await product.call('list-ai-models', { token: rep.token, query: { limit } }))).toEqual(
    failure(400, 'limit must be a whole number from 1 to 100'),
  );
});

test('A page of a list cannot start at a cursor that no page returned', async () => {
  expect(
    outcome(await product.call('list-ai-models', { token: rep.token, query: { cursor: 'made-up' } })),
  ).toEqual(failure(400, 'cursor must be a nextCursor of this list'));
});
