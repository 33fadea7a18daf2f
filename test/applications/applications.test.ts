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

const newContact = (firstName = 'Ada', person = admin) =>
  contactsClient(product, person).created({ firstName });
const stagesOf = (person: Person) => pipelinesClient(product, person).stageIds('Application');

test('GET /api/applications/{id} returns {success, data: Application}', async () => {
  const { _id: contactId } = await newContact();
  const application = await applications.created({ contactId, name: 'Loan' });
  const { status, body } = await applications.read(application._id);
  expect({ status, body }).toEqual({ status: 200, body: { success: true, data: application } });
  expect(Object.keys(body.data)).toEqual(applicationFields);
});

test('GET /api/application-management/{id} returns {success, data: {application, contact, stages, history}}', async () => {
  const contact = await newContact();
  const start = new Date();
  const { _id } = await applications.created({ contactId: contact._id, name: 'Loan' }, start);
  const later = new Date(start.getTime() + 60_000);
  const rep = await product.newColleague(admin, 'ADMIN');
  expectStatus(await applicationsClient(product, rep).move(_id, { stage: 'Approved' }, later), 200);

  const { status, body } = await applications.manage(_id);
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['success', 'data']);
  expect(Object.keys(body.data)).toEqual(['application', 'contact', 'stages', 'history']);
  expect(body.data.application).toEqual((await applications.read(_id)).body.data);
  expect(body.data.contact).toEqual(contact);
  const stages = await stagesOf(admin);
  expect(body.data.stages).toEqual(Object.entries(stages).map(([name, id]) => ({ _id: id, name })));
  expect(body.data.history).toEqual([
    {
      at: start.toISOString(),
      userId: admin.userId,
      fromStageId: null,
      fromStage: null,
      toStageId: stages.Submitted,
      toStage: 'Submitted',
    },
    {
      at: later.toISOString(),
      userId: rep.userId,
      fromStageId: stages.Submitted,
      fromStage: 'Submitted',
      toStageId: stages.Approved,
      toStage: 'Approved',
    },
  ]);
});

test('GET /api/application-management/{id} keeps the latest 100 entries of the history, each with where it came from', async () => {
  const { _id: contactId } = await newContact();
  const { _id } = await applications.created({ contactId, name: 'Restless' });
  const historyAfter = async (moves: number, from: number) => {
    for (let n = from; n < moves; n += 1) {
      expectStatus(await applications.move(_id, { stage: n % 2 === 0 ? 'In review' : 'Submitted' }), 200);
    }
    return (await applications.manage(_id)).body.data.history;
  };
  const whole = await historyAfter(99, 0);
  expect(whole).toHaveLength(100);
  expect(whole[0]).toMatchObject({ fromStage: null, toStage: 'Submitted' });
  const latest = await historyAfter(102, 99);
  expect(latest).toHaveLength(100);
  expect(latest[0]).toMatchObject({ fromStage: 'Submitted', toStage: 'In review' });
  expect(latest.at(-1)).toMatchObject({ fromStage: 'In review', toStage: 'Submitted' });
});

test('PUT /api/applications/{id}/stage moves by id or by name, and returns the whole application', async () => {
  const { _id: contactId } = await newContact();
  const application = await applications.created({ contactId, name: 'Loan' });
  const stages = await stagesOf(admin);
  for (const [request, stage] of [
    [{ stage: 'Approved' }, 'Approved'],
    [{ stageId: stages.Declined }, 'Declined'],
    [{ stageId: stages.Submitted, stage: 'Approved' }, 'Submitted'],
  ] as const) {
    const { status, body } = await applications.move(application._id, request);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        message: `Application moved to ${stage}`,
        data: { ...application, stage, stageId: stages[stage], updatedAt: body.data.updatedAt },
      },
    });
    expect((await applications.read(application._id)).body.data).toEqual(body.data);
  }
});

test('PUT /api/applications/{id}/stage to where it is changes nothing, not even updatedAt or the history', async () => {
  const { _id: contactId } = await newContact();
  const application = await applications.created({ contactId, name: 'Loan' });
  const response = await applications.move(
    application._id,
    { stage: 'Submitted' },
    new Date(Date.now() + 5_000),
  );
  expect(response).toMatchObject({ status: 200, body: { success: true, data: application } });
  expect((await applications.manage(application._id)).body.data.history).toHaveLength(1);
});

test('PUT /api/applications/{id}/stage to a stage that is not there, or of contacts, is a 404; to none at all a 400', async () => {
  const { _id: contactId, stageId } = await newContact();
  const { _id } = await applications.created({ contactId, name: 'Loan' });
  const noName =
    'stage is not the name of a stage of this pipeline. To name one of another pipeline, add pipelineId.';
  const noId = 'stageId is not the id of a stage of an Application pipeline';
  for (const [request, message] of [
    [{ stage: 'Nowhere' }, noName],
    [{ stage: 'Won' }, noName],
    [{ stageId: 'nowhere' }, noId],
    [{ stageId }, noId],
  ] as const) {
    expect(outcome(await applications.move(_id, request))).toEqual(failure(404, message));
  }
  expect(await applications.move(_id, {})).toMatchObject(failure(400, 'stageId or stage is required'));
});

test('DELETE /api/applications/{id} returns 200 {success, message}; afterwards the application is a 404, and its contact is as it was', async () => {
  const contact = await newContact();
  const { _id } = await applications.created({ contactId: contact._id, name: 'Loan' });
  expect(outcome(await applications.remove(_id))).toEqual({
    status: 200,
    body: { success: true, message: 'Application deleted' },
  });
  for (const response of [
    await applications.read(_id),
    await applications.remove(_id),
    await applications.move(_id, { stage: 'Approved' }),
  ]) {
    expect(outcome(response)).toEqual(failure(404, 'Application not found'));
  }
  expect((await contactsClient(product, admin).read(contact._id)).body.data).toEqual(contact);
});

test('DELETE /api/applications/{id} goes with its contact', async () => {
  const { _id: contactId } = await newContact();
  const { _id } = await applications.created({ contactId, name: 'Loan' });
  expectStatus(await contactsClient(product, admin).remove(contactId), 200);
  expect((await applications.read(_id)).status).toBe(404);
});
