import { beforeEach, expect, test } from 'vitest';
import type { Pipeline } from '../../shared/contacts/pipeline.ts';
import { applicationsClient } from '../applications/client.ts';
import { type ContactsClient, contactsClient } from '../contacts/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, failure, outcome } from '../harness/tenants.ts';
import { type PipelinesClient, pipelinesClient } from './client.ts';

let admin: Person;
let pipelines: PipelinesClient;
let contacts: ContactsClient;
/** The active Contact pipeline. */
let sales: Pipeline;
const product = await setUpProduct();
beforeEach(async () => {
  admin = await product.newOrganization();
  pipelines = pipelinesClient(product, admin);
  contacts = contactsClient(product, admin);
  sales = (await pipelines.list('Contact'))[0] as Pipeline;
});

const namesOf = ({ stages }: Pipeline) => stages.map(({ name }) => name);
const updated = async (id: string, body: Record<string, unknown>): Promise<Pipeline> =>
  expectStatus(await pipelines.update(id, body), 200).data;

test('PUT /api/pipelines/{id} returns {success, message, data} with the whole pipeline, and changes only what was named', async () => {
  const at = new Date(Date.now() + 1_000);
  const { status, body } = await pipelines.update(sales._id, { name: ' Sales ' }, at);
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      success: true,
      message: 'Pipeline updated',
      data: { ...sales, name: 'Sales', updatedAt: at.toISOString() },
    },
  });
  expect(Object.keys(body)).toEqual(['success', 'message', 'data']);
  expect(await pipelines.find(sales._id)).toEqual(body.data);
});

test('PUT /api/pipelines/{id} with what it is already changes nothing, not even updatedAt', async () => {
  const { name, stages, isActive } = sales;
  for (const body of [
    {},
    { name, stages, isActive },
    { stages: stages.map((stage) => ({ name: stage.name })) },
  ]) {
    const response = await pipelines.update(sales._id, body, new Date(Date.now() + 5_000));
    expect(response).toMatchObject({ status: 200, body: { data: sales } });
  }
});

test('PUT /api/pipelines/{id} renames a stage: its contacts stay in it, under the new name at once', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada' });
  const [first, ...others] = sales.stages;
  await updated(sales._id, { stages: [{ _id: first?._id, name: 'Fresh' }, ...others] });
  expect((await contacts.read(_id)).body.data).toMatchObject({ stage: 'Fresh', stageId: first?._id });
  expect((await contacts.board()).Fresh?.total).toBe(1);
  // Also for who remembers the name from before.
  expect(await contacts.created({ firstName: 'Next' })).toMatchObject({
    stage: 'Fresh',
    stageId: first?._id,
  });
  expect(await contacts.create({ firstName: 'Late', stage: 'New' })).toMatchObject({ status: 404 });
  expect(await contacts.created({ firstName: 'Last', stageId: first?._id })).toMatchObject({
    stage: 'Fresh',
  });
});

test('PUT /api/pipelines/{id} exchanges two names, without moving anybody', async () => {
  const [first, second, ...others] = sales.stages;
  const { _id } = await contacts.created({ firstName: 'Ada' });
  const stages = [
    { _id: first?._id, name: second?.name },
    { _id: second?._id, name: first?.name },
    ...others,
  ];
  expect((await updated(sales._id, { stages })).stages).toEqual(stages);
  expect((await contacts.read(_id)).body.data).toMatchObject({ stageId: first?._id, stage: second?.name });
  expect(await contacts.created({ firstName: 'Next' })).toMatchObject({
    stageId: first?._id,
    stage: second?.name,
  });
});

test('PUT /api/pipelines/{id} reorders stages: the board follows, and new contacts enter the first', async () => {
  await contacts.created({ firstName: 'Before' });
  const stages = [...sales.stages].reverse();
  expect((await updated(sales._id, { stages })).stages).toEqual(stages);
  expect(Object.keys(await contacts.board())).toEqual(['Lost', 'Won', 'Qualified', 'Contacted', 'New']);
  expect(await contacts.created({ firstName: 'After' })).toMatchObject({ stage: 'Lost' });
});

test('PUT /api/pipelines/{id} adds and removes stages; a stage without an id is the one of that name, or new', async () => {
  const { _id: leadId } = sales.stages[0] ?? {};
  const wanted = [{ name: 'New' }, { name: 'Met' }, { name: 'Won' }];
  const { stages } = await updated(sales._id, { stages: wanted });
  expect(stages.map(({ name }) => name)).toEqual(['New', 'Met', 'Won']);
  expect(stages[0]?._id).toBe(leadId);
  expect(stages[2]?._id).toBe(sales.stages[3]?._id);
  expect(sales.stages.map(({ _id }) => _id)).not.toContain(stages[1]?._id);
  expect(Object.keys(await contacts.board())).toEqual(['New', 'Met', 'Won']);
  expect(await contacts.created({ firstName: 'Ada', stage: 'Met' })).toMatchObject({
    stageId: stages[1]?._id,
  });
});

test('PUT /api/pipelines/{id} refuses to remove a stage that holds a contact: 409 that names it, and nothing changes', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada', stage: 'Qualified' });
  const rest = sales.stages.filter(({ name }) => name !== 'Qualified' && name !== 'Lost');
  expect(outcome(await pipelines.update(sales._id, { name: 'Less', stages: rest }))).toEqual(
    failure(409, 'The stage "Qualified" still holds contacts. Move or delete them first.'),
  );
  expect(await pipelines.find(sales._id)).toEqual(sales);
  expect((await contacts.move(_id, { stage: 'Lost' })).status).toBe(200);
  expectStatus(await contacts.move(_id, { stage: 'Won' }), 200);
  expect(namesOf(await updated(sales._id, { stages: rest }))).toEqual(['New', 'Contacted', 'Won']);
});

test('PUT /api/pipelines/{id} refuses to remove a stage that holds an application', async () => {
  const [pipeline] = await pipelines.list('Application');
  const { _id: contactId } = await contacts.created({ firstName: 'Ada' });
  const applications = applicationsClient(product, admin);
  const { _id } = await applications.created({ contactId, name: 'Loan' });
  const stages = pipeline?.stages.slice(1);
  expect(await pipelines.update(pipeline?._id ?? '', { stages })).toMatchObject({
    status: 409,
    body: { message: 'The stage "Submitted" still holds applications. Move or delete them first.' },
  });
  expectStatus(await applications.remove(_id), 200);
  expect(namesOf(await updated(pipeline?._id ?? '', { stages }))).toEqual([
    'In review',
    'Approved',
    'Declined',
  ]);
});

test('After PUT /api/pipelines/{id} has removed a stage, it is a 404 by id and by name, and never gets contacts again', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada' });
  const lost = sales.stages[4];
  await updated(sales._id, { stages: sales.stages.slice(0, 4) });
  for (const [request, message] of [
    [
      { stage: 'Lost' },
      'stage is not the name of a stage of this pipeline. To name one of another pipeline, add pipelineId.',
    ],
    [{ stageId: lost?._id }, 'stageId is not the id of a stage of a Contact pipeline'],
  ] as const) {
    for (const response of [
      await contacts.create({ firstName: 'Late', ...request }),
      await contacts.move(_id, request),
    ]) {
      expect(outcome(response)).toEqual({
        status: 404,
        body: { error: 'Not found', message },
      });
    }
  }
  const response = await pipelines.update(sales._id, { stages: [...sales.stages] });
  expect(response).toMatchObject(failure(404, 'stages[4]._id is not the id of a stage of this pipeline'));
});

test('PUT /api/pipelines/{id} makes a pipeline active in place of another, and inactive: then boards are empty', async () => {
  const partners = await pipelines.created({ name: 'Partners', stages: ['Invited', 'Signed'] });
  await contacts.created({ firstName: 'Before' });
  await updated(partners._id, { isActive: true });
  expect((await pipelines.list('Contact')).map(({ isActive }) => isActive)).toEqual([false, true]);
  expect(await contacts.created({ firstName: 'After' })).toMatchObject({ stage: 'Invited' });
  await updated(partners._id, { isActive: false });
  expect((await contacts.list()).body).toEqual({ data: {}, stageIdByName: {} });
  expect(await contacts.create({ firstName: 'Nowhere' })).toMatchObject({
    status: 404,
    body: { message: 'No Contact pipeline is active. Send a stageId, or make a pipeline active.' },
  });
  await updated(sales._id, { isActive: true });
  expect(await contacts.created({ firstName: 'Home' })).toMatchObject({ stage: 'New' });
});

test('PUT /api/pipelines/{id} keeps names unique within a type: 409', async () => {
  const partners = await pipelines.created({ name: 'Partners', stages: ['Invited'] });
  expect(await pipelines.update(partners._id, { name: sales.name })).toMatchObject(
    failure(409, 'Another pipeline of this type already has this name.'),
  );
  const [application] = await pipelines.list('Application');
  expect((await updated(application?._id ?? '', { name: 'Partners' })).name).toBe('Partners');
});

test.each([
  [{ name: ' ' }, 'name must not be empty'],
  [{ stages: [] }, 'stages must have at least 1 item'],
  [
    { stages: Array.from({ length: 51 }, (_, n) => ({ name: `s${n}` })) },
    'stages must have at most 50 items',
  ],
  [{ stages: [{ name: 'a' }, { name: 'a ' }] }, 'stages must not contain the same name twice'],
  [
    {
      stages: [
        { _id: 's', name: 'a' },
        { _id: 's', name: 'b' },
      ],
    },
    'stages must not contain the same stage twice',
  ],
  [{ stages: [{ name: '__proto__' }] }, 'stages[0].name must not be __proto__'],
  [{ stages: [{ _id: 'no' }] }, 'stages[0].name is required'],
  [{ isActive: 'yes' }, 'isActive must be true or false'],
])('PUT /api/pipelines/{id} of %o says what is wrong: 400', async (body, message) => {
  expect(await pipelines.update(sales._id, body)).toMatchObject(failure(400, message));
});

test('DELETE /api/pipelines/{id} returns 200 {success, message}; the board of the pipeline is a 404 from then on', async () => {
  const partners = await pipelines.created({ name: 'Partners', stages: ['Invited'] });
  expect(outcome(await pipelines.remove(partners._id))).toEqual({
    status: 200,
    body: { success: true, message: 'Pipeline deleted' },
  });
  expect((await contacts.list({ pipelineId: partners._id })).status).toBe(404);
  expect(await pipelines.list('Contact')).toEqual([sales]);
  expect(outcome(await pipelines.remove(partners._id))).toEqual(failure(404, 'Pipeline not found'));
  await pipelines.created({ name: 'Partners', stages: ['Invited'] });
});

test('DELETE /api/pipelines/{id} of a pipeline that holds a contact is a 409 that names the stage', async () => {
  const partners = await pipelines.created({ name: 'Partners', stages: ['Invited', 'Signed'] });
  const stageId = partners.stages[1]?._id;
  const { _id } = await contacts.created({ firstName: 'Ada', stageId });
  expect(await pipelines.remove(partners._id)).toMatchObject(
    failure(409, 'The stage "Signed" still holds contacts. Move or delete them first.'),
  );
  expect(await pipelines.find(partners._id)).toEqual(partners);
  expectStatus(await contacts.remove(_id), 200);
  expectStatus(await pipelines.remove(partners._id), 200);
  expect((await contacts.create({ firstName: 'Late', stageId })).status).toBe(404);
});

test('DELETE /api/pipelines/{id} of the last one for contacts is a 409: leads, texts and calls would be lost', async () => {
  for (const { _id } of await pipelines.list('Application')) {
    expectStatus(await pipelines.remove(_id), 200);
  }
  const last = failure(
    409,
    'This is the last Contact pipeline, and new contacts must enter one. Create another Contact pipeline first.',
  );
  expect(outcome(await pipelines.remove(sales._id))).toEqual(last);
  const other = await pipelines.created({ name: 'Other', stages: ['First'] });
  const both = await Promise.all([pipelines.remove(sales._id), pipelines.remove(other._id)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(both.map(outcome)).toContainEqual(last);
});

test('DELETE /api/pipelines/{id} of the active one, when it is empty, leaves boards {} until another is active', async () => {
  await arrange(contacts.list());
  await pipelines.created({ name: 'Other', stages: ['First'] });
  expectStatus(await pipelines.remove(sales._id), 200);
  expect((await contacts.list()).body).toEqual({ data: {}, stageIdByName: {} });
  expect((await contacts.create({ firstName: 'Nowhere' })).status).toBe(404);
  await pipelines.created({ name: 'Anew', stages: ['First'], isActive: true });
  expect(await contacts.created({ firstName: 'Ada' })).toMatchObject({ stage: 'First' });
});
