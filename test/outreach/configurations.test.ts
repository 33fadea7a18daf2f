import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { isWebhookSecret } from '../../functions/outreach/model/standard-webhooks.ts';
import type { Pipeline } from '../../shared/contacts/pipeline.ts';
import { newWebhookSecret } from '../../shared/kernel/secrets/webhook-secret.ts';
import { operationNamed, parsedBody } from '../access/parsed-body.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { countStatuses, expectStatus, failure, outcome } from '../harness/tenants.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { configurationKeys, leadsClient } from './leads-client.ts';

const tenants = await setUpTenants();
const { product, rep, foreignAdmin } = tenants;
const leads = leadsClient(product, tenants.admin);

const create = (body: Record<string, unknown>, { token }: Person = tenants.admin) =>
  product.call('create-outreach-configuration', { token, body });
const read = (id: string) =>
  product.call('read-outreach-configuration', { token: tenants.admin.token, path: { id } });
const remove = (id: string, { token }: Person = tenants.admin) =>
  product.call('delete-outreach-configuration', { token, path: { id } });

async function pipelineOf(person: Person, type: Pipeline['type'] = 'Contact') {
  const [pipeline] = await pipelinesClient(product, person).list(type);
  return pipeline as Pipeline;
}

test('A new outreach configuration of a name alone is active, decides nothing else, and is 201 {success, message, data}', async () => {
  const { status, body } = await create({ name: ' Spring campaign ' });
  expect(status).toBe(201);
  expect(Object.keys(body)).toEqual(['success', 'message', 'data']);
  expect(Object.keys(body.data)).toEqual(configurationKeys);
  expect(body.data).toMatchObject({
    organizationId: tenants.admin.organizationId,
    userId: tenants.admin.userId,
    name: 'Spring campaign',
    source: null,
    pipelineId: null,
    stageId: null,
    ownerId: null,
    createApplication: false,
    isActive: true,
    hasSecret: false,
  });
  expect((await read(body.data._id)).body).toEqual({ success: true, data: body.data });
});

test('A new outreach configuration keeps what is said of it, and finds the pipeline of its stage', async () => {
  const { _id: pipelineId, stages } = await pipelineOf(tenants.admin);
  const said = {
    source: 'Facebook',
    stageId: stages[2]?._id,
    ownerId: rep.userId,
    createApplication: true,
    isActive: false,
  };
  const { data } = expectStatus(await create({ name: 'Full', ...said }), 201);
  expect(data).toMatchObject({ ...said, pipelineId });
});

test('A new outreach configuration ignores system fields sent along, and takes null for nothing', async () => {
  const { data } = expectStatus(
    await create({
      name: 'Plain',
      _id: 'mine',
      organizationId: foreignAdmin.organizationId,
      userId: rep.userId,
      hasSecret: true,
      source: null,
      pipelineId: null,
      stageId: null,
      ownerId: null,
      secret: null,
    }),
    201,
  );
  expect(data._id).not.toBe('mine');
  expect(data).toMatchObject({
    organizationId: tenants.admin.organizationId,
    userId: tenants.admin.userId,
    hasSecret: false,
  });
});

test.each([
  [{}, 'name is required'],
  [{ name: ' ' }, 'name must not be empty'],
  [{ name: 'x', createApplication: 'yes' }, 'createApplication must be true or false'],
  [
    { name: 'x', secret: 'whsec_c2hvcnQ=' },
    'secret must be true, or whsec_ followed by 24 to 64 bytes in base64',
  ],
  [{ name: 'x', secret: false }, 'secret must be true, or whsec_ followed by 24 to 64 bytes in base64'],
])('A new outreach configuration of %j is refused with what is wrong with it', async (body, message) => {
  expect(await parsedBody(operationNamed('create-outreach-configuration'), body)).toBe(message);
});

test('A new outreach configuration cannot have an owner, a pipeline or a stage that is not there, of another organization, or of applications', async () => {
  const foreign = await pipelineOf(foreignAdmin);
  const applications = await pipelineOf(tenants.admin, 'Application');
  const own = await pipelineOf(tenants.admin);
  const noPipeline = 'pipelineId is not the id of a Contact pipeline';
  const noStage = 'stageId is not the id of a stage of a Contact pipeline';
  for (const [request, message] of [
    [{ ownerId: foreignAdmin.userId }, 'ownerId is not the id of a user of this organization'],
    [{ pipelineId: 'nowhere' }, noPipeline],
    [{ pipelineId: foreign._id }, noPipeline],
    [{ pipelineId: applications._id }, noPipeline],
    [{ stageId: foreign.stages[0]?._id }, noStage],
    [{ stageId: applications.stages[0]?._id }, noStage],
    [
      { pipelineId: own._id, stageId: 'nowhere' },
      'stageId is not the id of a stage of the pipeline that pipelineId names',
    ],
  ] as const) {
    expect(outcome(await create({ name: 'x', ...request }))).toEqual(failure(404, message));
  }
});

test('An organization has at most 200 configurations: 409 beyond, until one is deleted', async () => {
  const admin = await product.newOrganization();
  const names = Array.from({ length: 190 }, (_, index) => `Source ${index}`);
  const ids: string[] = [];
  for (const name of names) {
    ids.push(expectStatus(await create({ name }, admin), 201).data._id);
  }
  const atOnce = await Promise.all(
    names.slice(0, 20).map((name) => create({ name: `${name} again` }, admin)),
  );
  expect(countStatuses(atOnce)).toEqual({ 201: 10, 409: 10 });
  expect(outcome(await create({ name: 'One more' }, admin))).toEqual(
    failure(409, 'The organization already has 200 outreach configurations, the maximum. Delete one first.'),
  );
  expectStatus(await create({ name: 'Elsewhere' }), 201);
  expectStatus(await remove(ids[7] ?? '', admin), 200);
  expectStatus(await create({ name: 'One more' }, admin), 201);
});

test('An update of a configuration keeps what it does not name, and returns {success, message, data}', async () => {
  const before = await leads.configure({ source: 'Radio', ownerId: rep.userId });
  const { status, body } = await leads.change(before._id, { isActive: false });
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['success', 'message', 'data']);
  expect(body.data).toEqual({ ...before, isActive: false, updatedAt: body.data.updatedAt });
});

test('An update of a configuration clears what it says is null', async () => {
  const { stages } = await pipelineOf(tenants.admin);
  const { _id } = await leads.configure({ source: 'Radio', ownerId: rep.userId, stageId: stages[1]?._id });
  const { data } = expectStatus(
    await leads.change(_id, { source: null, ownerId: null, pipelineId: null }),
    200,
  );
  expect(data).toMatchObject({ source: null, ownerId: null, pipelineId: null, stageId: null });
});

test('An update of a configuration to another pipeline leaves the stage of the one before; to another stage finds its pipeline', async () => {
  const home = await pipelineOf(tenants.admin);
  const pipelines = pipelinesClient(product, tenants.admin);
  const partners = await pipelines.created({ name: `Partners ${home._id}`, stages: ['Invited'] });
  const { _id } = await leads.configure({ stageId: home.stages[1]?._id });
  const moved = expectStatus(await leads.change(_id, { pipelineId: partners._id }), 200).data;
  expect(moved).toMatchObject({ pipelineId: partners._id, stageId: null });
  const back = expectStatus(await leads.change(_id, { stageId: home.stages[2]?._id }), 200).data;
  expect(back).toMatchObject({ pipelineId: home._id, stageId: home.stages[2]?._id });
  const first = expectStatus(await leads.change(_id, { stageId: null }), 200).data;
  expect(first).toMatchObject({ pipelineId: home._id, stageId: null });
});

test('20 updates of a configuration at once lose none', async () => {
  const { _id } = await leads.configure();
  const changes: Record<string, unknown>[] = [
    { name: 'Changed' },
    { source: 'Changed' },
    { ownerId: rep.userId },
    { createApplication: true },
  ];
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) => leads.change(_id, changes[index % 4] ?? {})),
  );
  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect((await read(_id)).body.data).toMatchObject(Object.assign({}, ...changes));
});

test('Configurations are listed newest first, page by page', async () => {
  const admin = await product.newOrganization();
  const own = leadsClient(product, admin);
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    ids.unshift((await own.configure({ name: `Number ${count}` }))._id);
  }
  const list = (query: Record<string, string>) =>
    product.call('list-outreach-configurations', { token: admin.token, query });
  const first = expectStatus(await list({ limit: '2' }), 200);
  expect(Object.keys(first)).toEqual(['success', 'data', 'nextCursor']);
  expect(first.data.map(({ _id }: { _id: string }) => _id)).toEqual(ids.slice(0, 2));
  const last = expectStatus(await list({ limit: '2', cursor: first.nextCursor }), 200);
  expect(last.data.map(({ _id }: { _id: string }) => _id)).toEqual(ids.slice(2));
  expect(last.nextCursor).toBeNull();
});

test('Configurations are deleted once: {success, message}, then 404, even for the lead that comes after', async () => {
  const { _id } = await leads.configure();
  await leads.sent(_id);
  expect((await remove(_id)).body).toEqual({ success: true, message: 'Outreach configuration deleted' });
  expect((await remove(_id)).status).toBe(404);
  expect(outcome(await leads.send(_id))).toEqual(failure(404, 'Outreach configuration not found'));
});

test('The secret of a configuration is made on request and shown at creation only', async () => {
  const { data } = expectStatus(await create({ name: 'Signed', secret: true }), 201);
  const { secret, ...rest } = data;
  expect(isWebhookSecret(secret)).toBe(true);
  expect(rest.hasSecret).toBe(true);
  expect((await read(data._id)).body.data).toEqual(rest);
  const listed = await product.call('list-outreach-configurations', { token: leads.admin.token });
  expect(JSON.stringify(listed.body)).not.toContain('whsec_');
  const renamed = expectStatus(await leads.change(data._id, { name: 'Renamed' }), 200).data;
  expect(Object.keys(renamed)).toEqual(configurationKeys);
  expect(renamed.hasSecret).toBe(true);
});

test('The secret of a configuration is another one for each configuration', async () => {
  const secrets = await Promise.all(
    Array.from({ length: 5 }, async () => (await leads.configure({ secret: true })).secret),
  );
  expect(new Set(secrets).size).toBe(5);
});

test('The secret of a configuration may be one of your own', async () => {
  const secret = newWebhookSecret(randomBytes);
  expect((await leads.configure({ secret })).secret).toBe(secret);
});

test('The secret of a configuration is rotated, replaced and cleared by an update, which shows it only when it was made', async () => {
  const { _id, secret } = await leads.configure({ secret: true });
  const rotated = expectStatus(await leads.change(_id, { secret: true }), 200).data;
  expect(isWebhookSecret(rotated.secret)).toBe(true);
  expect(rotated.secret).not.toBe(secret);
  const replaced = expectStatus(await leads.change(_id, { secret: newWebhookSecret(randomBytes) }), 200).data;
  expect(Object.keys(replaced)).toEqual(configurationKeys);
  expect(replaced.hasSecret).toBe(true);
  const cleared = expectStatus(await leads.change(_id, { secret: null }), 200).data;
  expect(cleared.hasSecret).toBe(false);
});
