import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import { writeContacts } from '../bench/bulk-writer.ts';
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

/** The board of a new organization with so many contacts, which differ in stage and custom fields alone. */
async function boardOf(count: number, customFields: () => Record<string, string>) {
  const { product } = world;
  const admin = await product.newOrganization();
  const { token, organizationId } = admin;
  const stages = ['New', 'Contacted', 'Qualified', 'Won', 'Lost'];
  const { table, moment } = product.tableOf(organizationId);
  const patterns: StoredContact[] = [];
  for (const stage of stages) {
    const body = { firstName: 'Large', stage };
    const { data } = expectStatus(await product.call('create-contact', { token, body }), 201);
    patterns.push((await table.read(contactKey(data._id)))?.data as StoredContact);
    expectStatus(await product.call('delete-contact', { token, path: { id: data._id } }), 200);
  }
  const contacts = Array.from({ length: count }, (_, n): StoredContact => {
    const pattern = patterns[n % stages.length] as StoredContact;
    return { ...pattern, _id: moment.newId(), customFields: customFields() };
  });
  await writeContacts(table, contacts);
  return (body: Record<string, unknown>) =>
    product.call('list-contacts-by-stage', { token, body: { size: 100, ...body } });
}

it('a board beyond 6 MB is compressed unasked, and refused when even that does not fit', async () => {
  const board = await boardOf(450, () => ({ same: 'x'.repeat(15_000) }));
  const large = await board({});
  expect(large.status).toBe(200);
  expect(large.headers['content-encoding']).toBe('gzip');
  expect(large.body.data.Won.contacts).toHaveLength(90);
  expect((await board({ stages: ['Won'] })).headers['content-encoding']).toBeUndefined();

  const noisy = await boardOf(500, () => ({ noise: randomBytes(11_500).toString('base64') }));
  expect(await noisy({})).toMatchObject({ status: 400, body: { error: 'Invalid request' } });
  expect((await noisy({ size: 20 })).status).toBe(200);
});

it.each([
  [{ size: 0 }, 'size must be at least 1'],
  [{ size: 101 }, 'size must be at most 100'],
  [{ size: 1.5 }, 'size must be a whole number'],
  [{ page: { New: 0 } }, 'page.New must be at least 1'],
])('a board of %o is told what is wrong', async (body, message) => {
  const answer = await world.product.call('list-contacts-by-stage', { token: world.rep.token, body });
  expect(answer.body).toEqual({ error: 'Invalid request', message });
});

it('an empty window, and an empty status, filter nothing', async () => {
  const { product } = world;
  const admin = await product.newOrganization();
  expectStatus(await product.call('create-contact', { token: admin.token, body: { firstName: 'Now' } }), 201);
  const total = async (body: Record<string, unknown>) =>
    (await product.call('list-contacts-by-stage', { token: admin.token, body })).body.data.New?.total;
  const before = { end: '2020-01-01' };
  expect(await total({ createdDateRange: {}, status: '' })).toBe(1);
  expect(await total({ createdDateRange: {}, dateRange: before })).toBe(0);
  expect(await total({ createdDateRange: { end: '2020-01-01T00:00:00' } })).toBe(0);
  expect(await total({ createdDateRange: { start: '2020-01-01T00:00:00' } })).toBe(1);
});

it('a stage cannot be named by a number alone: boards could not keep its place', async () => {
  const answer = await world.product.call('create-pipeline', {
    token: world.admin.token,
    body: { name: 'Numbers', type: 'Contact', stages: [{ name: 'First' }, { name: '2' }] },
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { message: 'stages[1].name must not be only a number, or __proto__' },
  });
});

it('a body may begin with a byte order mark', async () => {
  const { status } = await world.product.call('create-contact', {
    token: world.rep.token,
    body: '\ufeff{"firstName": "Marked"}',
  });
  expect(status).toBe(201);
});

it('a stage named without its pipeline is one of the pipeline that is active now', async () => {
  const { product } = world;
  const admin = await product.newOrganization();
  const create = (body: Record<string, unknown>) =>
    product.call('create-contact', { token: admin.token, body });
  expectStatus(await create({ firstName: 'Before', stage: 'Won' }), 201);
  const stages = [{ name: 'Lead' }, { name: 'Won' }];
  const { data: pipeline } = expectStatus(
    await product.call('create-pipeline', {
      token: admin.token,
      body: { name: 'Second', type: 'Contact', stages, isActive: true },
    }),
    201,
  );
  const { data: contact } = expectStatus(await create({ firstName: 'After', stage: 'Won' }), 201);
  expect(contact).toMatchObject({ pipelineId: pipeline._id, stageId: pipeline.stages[1]._id });
});
