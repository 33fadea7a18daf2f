import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { contactKey, type StoredContact } from '../../shared/contacts/contact.ts';
import { writeContacts } from '../bench/bulk-writer.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { contactsClient } from './client.ts';

const { product, superadmin, admin, rep } = await setUpTenants();

test('A SUPERADMIN from elsewhere owns nothing in the organization acted in', async () => {
  const acting = contactsClient(product, superadmin, { 'x-organization-id': admin.organizationId });
  expect(await acting.created({ firstName: 'By' })).toMatchObject({
    createdBy: superadmin.userId,
    owner: null,
    organizationId: admin.organizationId,
  });
  expect(await acting.create({ firstName: 'By', owner: superadmin.userId })).toMatchObject({
    status: 404,
    body: { message: 'owner is not the id of a user of this organization' },
  });
});

test('Pipelines that would not fit into one record are refused, and those before stay', async () => {
  const pipelines = pipelinesClient(product, await product.newOrganization());
  const stages = Array.from({ length: 50 }, (_, index) => ({ name: `${index}${'語'.repeat(190)}` }));
  const create = (name: string) => pipelines.create({ name, type: 'Contact', stages });
  let response = await create('0');
  let created = 0;
  while (response.status === 201) {
    created += 1;
    response = await create(String(created));
  }
  expect(response).toMatchObject({ status: 409, body: { success: false } });
  expect(await pipelines.list()).toHaveLength(created + 2);
});

/** The board of a new organization with so many contacts, which differ in stage and custom fields alone. */
async function boardOf(count: number, customFields: () => Record<string, string>) {
  const admin = await product.newOrganization();
  const large = contactsClient(product, admin);
  const stages = ['New', 'Contacted', 'Qualified', 'Won', 'Lost'];
  const { table, moment } = product.tableOf(admin.organizationId);
  const patterns: StoredContact[] = [];
  for (const stage of stages) {
    const { _id } = await large.created({ firstName: 'Large', stage });
    patterns.push((await table.read(contactKey(_id)))?.data as StoredContact);
    expectStatus(await large.remove(_id), 200);
  }
  const contacts = Array.from({ length: count }, (_, n): StoredContact => {
    const pattern = patterns[n % stages.length] as StoredContact;
    return { ...pattern, _id: moment.newId(), customFields: customFields() };
  });
  await writeContacts(table, contacts);
  return (body: Record<string, unknown>) => large.list({ size: 100, ...body });
}

test('A board beyond 6 MB is compressed unasked, and refused when even that does not fit', async () => {
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

/** Decisions 6, "Pipelines": a stage may be called by digits alone (`2025`): the answer is written as text, in the stages' order. */
test('Stages named by digits alone stand on the board where the pipeline has them', async () => {
  const owner = await product.newOrganization();
  const own = contactsClient(product, owner);
  const stages = ['First', '2025', '7', 'Last'];
  await pipelinesClient(product, owner).created({ name: 'Years', stages, isActive: true });
  await own.created({ firstName: 'Dated', stage: '2025' });
  for (const body of [{}, { search: 'dated' }, { page: { 2025: 1 } }]) {
    const { text } = await own.list(body);
    for (const beginning of ['{', '"']) {
      const offsets = stages.map((stage) => text.lastIndexOf(`"${stage}":${beginning}`));
      expect(offsets).not.toContain(-1);
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    }
  }
  const { text, body } = await own.list({ stages: ['Last', '2025'], status: '' });
  expect(text.indexOf('"Last":{')).toBeLessThan(text.indexOf('"2025":{'));
  expect(body.data['2025']).toMatchObject({ contacts: [{ firstName: 'Dated', stage: '2025' }], total: 1 });
});

test('A body may begin with a byte order mark', async () => {
  const { status } = await product.call('create-contact', {
    token: rep.token,
    body: '\ufeff{"firstName": "Marked"}',
  });
  expect(status).toBe(201);
});
