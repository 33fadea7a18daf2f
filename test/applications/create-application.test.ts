import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { applicationFields, applicationsClient } from './client.ts';

const product = await setUpProduct();
const admin = await product.newOrganization();
const applications = applicationsClient(product, admin);
const pipelines = pipelinesClient(product, admin);

const newContact = (firstName = 'Ada', person = admin) =>
  contactsClient(product, person).created({ firstName });
const stagesOf = (person: Person) => pipelinesClient(product, person).stageIds('Application');

test('POST /api/applications returns 201 with the whole application, in the first stage of the active Application pipeline', async () => {
  const contact = await newContact();
  const at = new Date();
  const { status, body } = await applications.create({ contactId: contact._id, name: '  Loan ' }, at);
  expect(status).toBe(201);
  expect(Object.keys(body)).toEqual(['success', 'message', 'data']);
  expect(Object.keys(body.data)).toEqual(applicationFields);
  const { Submitted } = await stagesOf(admin);
  expect(body).toEqual({
    success: true,
    message: 'Application created',
    data: {
      _id: expect.stringMatching(/^[0-9A-Za-z]+$/),
      organizationId: admin.organizationId,
      contactId: contact._id,
      userId: admin.userId,
      name: 'Loan',
      pipelineId: body.data.pipelineId,
      stageId: Submitted,
      stage: 'Submitted',
      customFields: {},
      createdAt: at.toISOString(),
      updatedAt: at.toISOString(),
    },
  });
});

test('POST /api/applications puts it where it is asked to: by stage id, by name, in the pipeline named', async () => {
  const { _id: contactId } = await newContact();
  const stages = await stagesOf(admin);
  const jobs = { name: 'Jobs', type: 'Application', stages: ['Sent', 'Approved'] } as const;
  const other = await pipelines.created(jobs);
  const [sent, approved] = other.stages.map(({ _id }) => _id);
  for (const [request, expected] of [
    [{ stage: 'Approved' }, stages.Approved],
    [{ stageId: stages.Declined, stage: 'Approved' }, stages.Declined],
    [{ pipelineId: other._id }, sent],
    [{ pipelineId: other._id, stage: 'Approved' }, approved],
    [{ stageId: approved }, approved],
  ] as const) {
    expect((await applications.created({ contactId, name: 'Loan', ...request })).stageId).toBe(expected);
  }
});

test('POST /api/applications keeps custom fields with odd names, and ignores system fields', async () => {
  const { _id: contactId } = await newContact();
  const customFields = { constructor: 'x', toString: [1, { a: null }], '': false };
  const application = await applications.created({
    contactId,
    name: 'Odd',
    customFields,
    _id: 'mine',
    organizationId: 'other',
    userId: 'nobody',
    createdAt: '2000-01-01',
  });
  expect(application).toMatchObject({
    customFields,
    organizationId: admin.organizationId,
    userId: admin.userId,
  });
  expect(application._id).not.toBe('mine');
  expect((await applications.read(application._id)).body.data).toEqual(application);
});

test('POST /api/applications is a 404 for a contact, a pipeline or a stage that does not exist, or is not for applications', async () => {
  const { _id: contactId } = await newContact();
  const foreignAdmin = await product.newOrganization();
  const [contacts] = await pipelines.list();
  const foreign = await stagesOf(foreignAdmin);
  const noPipeline = 'pipelineId is not the id of an Application pipeline';
  const noName =
    'stage is not the name of a stage of this pipeline. To name one of another pipeline, add pipelineId.';
  const noId = 'stageId is not the id of a stage of an Application pipeline';
  for (const [request, message] of [
    [{ contactId: 'nobody' }, 'Contact not found'],
    [{ contactId: (await newContact('Far', foreignAdmin))._id }, 'Contact not found'],
    [{ pipelineId: 'nothing' }, noPipeline],
    [{ pipelineId: contacts?._id }, noPipeline],
    [{ stage: 'Nowhere' }, noName],
    [{ stage: 'New' }, noName],
    [{ stageId: contacts?.stages[0]?._id }, noId],
    [{ stageId: foreign.Submitted }, noId],
  ] as const) {
    expect(outcome(await applications.create({ contactId, name: 'Loan', ...request }))).toEqual(
      failure(404, message),
    );
  }
  expect((await applications.everything()).filter(({ _id }) => _id === contactId)).toEqual([]);
});

test('POST /api/applications says so when no Application pipeline is active', async () => {
  const own = await product.newOrganization();
  const { _id: contactId } = await newContact('Alone', own);
  const pipeline = await pipelinesClient(product, own).deactivate('Application');
  const { create, created } = applicationsClient(product, own);
  expect(await create({ contactId, name: 'Loan' })).toMatchObject({
    status: 404,
    body: { message: 'No Application pipeline is active. Send a stageId, or make a pipeline active.' },
  });
  const stageId = pipeline.stages[1]?._id;
  expect(await created({ contactId, name: 'Loan', stageId })).toMatchObject({ stage: 'In review' });
});

// Decisions 10, "Application": a contact has at most 25, the next is 409.
test('POST /api/applications: a contact has at most 25, the next is 409, even when several come at once', async () => {
  const { _id: contactId } = await newContact();
  for (let n = 0; n < 20; n += 1) {
    await applications.created({ contactId, name: `Number ${n}` });
  }
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, n) => applications.create({ contactId, name: `Late ${n}` })),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 409, 409, 409]);
  expect(responses.find(({ status }) => status === 409)?.body).toEqual({
    success: false,
    message: 'The contact already has 25 applications, the maximum. Delete one first.',
  });
  expect(await applications.listed({ contactId })).toHaveLength(25);
  const id = responses.find(({ status }) => status === 201)?.body.data._id;
  expectStatus(await applications.remove(id), 200);
  expectStatus(await applications.create({ contactId, name: 'In its place' }), 201);
});
