import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectStatus, startWorld, type World } from '../harness/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.stop());

it('an id that cannot exist is answered to the byte like one that does not', async () => {
  const { product, rep } = world;
  const missing = await product.call('read-contact', { token: rep.token, path: { id: 'missing' } });
  expect(missing).toMatchObject({ status: 404, body: { message: 'Contact not found' } });
  for (const id of ['a b', '..', 'x'.repeat(129), '%00', 'a#b', 'é', '']) {
    const { status, body } = await product.call('read-contact', { token: rep.token, path: { id } });
    expect({ status, body }).toEqual({ status: 404, body: missing.body });
  }
});

it('a SUPERADMIN from elsewhere owns nothing in the organization acted in', async () => {
  const { product, superadmin, admin } = world;
  const acting = { token: superadmin.token, headers: { 'x-organization-id': admin.organizationId } };
  const { data } = expectStatus(
    await product.call('create-contact', { ...acting, body: { firstName: 'By' } }),
    201,
  );
  expect(data).toMatchObject({
    createdBy: superadmin.userId,
    owner: null,
    organizationId: admin.organizationId,
  });
  const owned = await product.call('create-contact', {
    ...acting,
    body: { firstName: 'By', owner: superadmin.userId },
  });
  expect(owned).toMatchObject({
    status: 400,
    body: { message: 'owner must be the id of a user of this organization' },
  });
});

it('pipelines that would not fit into one record are refused, and those before stay', async () => {
  const { product } = world;
  const admin = await product.newOrganization();
  const create = (name: string) =>
    product.call('create-pipeline', {
      token: admin.token,
      body: {
        name,
        type: 'Contact',
        stages: Array.from({ length: 50 }, (_, index) => ({ name: `${index}${'語'.repeat(190)}` })),
      },
    });
  let answer = await create('0');
  let created = 0;
  while (answer.status === 201) {
    created += 1;
    answer = await create(String(created));
  }
  expect(answer).toMatchObject({ status: 409, body: { success: false } });
  const { data } = expectStatus(await product.call('list-pipelines', { token: admin.token }), 200);
  expect(data).toHaveLength(created + 2);
});

it('a board beyond 6 MB is compressed unasked, and refused when even that does not fit', async () => {
  const { product } = world;
  const admin = await product.newOrganization();
  const noise = (bytes: number) => ({ noise: randomBytes(bytes).toString('base64') });
  const create = (customFields: Record<string, string>, stage: string) =>
    product.call('create-contact', { token: admin.token, body: { firstName: 'Large', customFields, stage } });
  for (let n = 0; n < 450; n += 1) {
    expectStatus(
      await create(
        { same: 'x'.repeat(15_000) },
        ['New', 'Contacted', 'Qualified', 'Won', 'Lost'][n % 5] ?? '',
      ),
      201,
    );
  }
  const board = (body: Record<string, unknown>) =>
    product.call('list-contacts-by-stage', { token: admin.token, body: { size: 100, ...body } });
  const large = await board({});
  expect(large.status).toBe(200);
  expect(large.headers['content-encoding']).toBe('gzip');
  expect(large.body.data.Won.contacts).toHaveLength(90);
  expect((await board({ stages: ['Won'] })).headers['content-encoding']).toBeUndefined();

  await Promise.all(
    ['New', 'Contacted', 'Qualified', 'Won', 'Lost'].flatMap((stage) =>
      Array.from({ length: 100 }, () => create(noise(11_500), stage)),
    ),
  );
  expect(await board({})).toMatchObject({ status: 400, body: { error: 'Invalid request' } });
  expect((await board({ size: 20 })).status).toBe(200);
});
