import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { outcome } from '../harness/tenants.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { newContactsClient } from './client.ts';

const product = await setUpProduct();
const contacts = await newContactsClient(product);

test('A contact is moved by id or by name of the stage, and returned as a whole', async () => {
  const record = await contacts.created({ firstName: 'Mover' });
  const { stageIdByName } = (await contacts.list()).body;
  for (const [request, stage] of [
    [{ stage: 'Won' }, 'Won'],
    [{ stageId: stageIdByName.Lost }, 'Lost'],
    [{ stageId: stageIdByName.New, stage: 'Won' }, 'New'],
  ] as const) {
    const { status, body } = await contacts.move(record._id, request);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      message: `Contact moved to ${stage}`,
      data: { ...record, stage, stageId: stageIdByName[stage], updatedAt: body.data.updatedAt },
    });
    expect((await contacts.read(record._id)).body.data).toEqual(body.data);
  }
});

test('A move to a stage that is not there, or of applications, is a 404; to none at all a 400', async () => {
  const record = await contacts.created({ firstName: 'Stay' });
  const applications = (await contacts.list({ pipelineType: 'Application' })).body.stageIdByName;
  const foreign = (await (await newContactsClient(product)).list()).body.stageIdByName;
  const noName =
    'stage is not the name of a stage of this pipeline. To name one of another pipeline, add pipelineId.';
  const noId = 'stageId is not the id of a stage of a Contact pipeline';
  for (const [request, message] of [
    [{ stage: 'Nowhere' }, noName],
    [{ stageId: 'nowhere' }, noId],
    [{ stageId: 'nowhere', stage: 'Won' }, noId],
    [{ stageId: applications.Submitted }, noId],
    [{ stageId: foreign.Won }, noId],
    [{ stage: 'Submitted' }, noName],
  ] as const) {
    expect(outcome(await contacts.move(record._id, request))).toEqual({
      status: 404,
      body: { error: 'Not found', message },
    });
  }
  expect((await contacts.move(record._id, {})).body.message).toMatch(/^stageId or stage/);
  expect((await contacts.read(record._id)).body.data).toEqual(record);
});

test('A move by name stays in the contact’s own pipeline; by id it may leave it', async () => {
  const own = await newContactsClient(product);
  const pipelines = pipelinesClient(product, own.admin);
  const pipeline = await pipelines.created({ name: 'Partners', stages: ['Won', 'Signed'] });
  const { _id, pipelineId } = await own.created({ firstName: 'Traveller' });
  expect((await own.move(_id, { stage: 'Won' })).body.data).toMatchObject({ pipelineId, stage: 'Won' });
  expect((await own.move(_id, { stage: 'Signed' })).status).toBe(404);
  const signed = await own.move(_id, { stageId: pipeline.stages[1]?._id });
  expect(signed.body.data).toMatchObject({ pipelineId: pipeline._id, stage: 'Signed' });
  expect((await own.board({ pipelineId: pipeline._id })).Signed?.total).toBe(1);
  expect(await own.everything()).toEqual([]);
  expect((await own.move(_id, { stage: 'Won' })).body.data).toMatchObject({ pipelineId: pipeline._id });
});

test('A move by name into another pipeline names that pipeline', async () => {
  const own = await newContactsClient(product);
  const pipelines = pipelinesClient(product, own.admin);
  const pipeline = await pipelines.created({ name: 'Partners', stages: ['Won', 'Signed'] });
  const { _id } = await own.created({ firstName: 'Traveller' });
  const won = (await own.move(_id, { stage: 'Won', pipelineId: pipeline._id })).body.data;
  expect(won).toMatchObject({ pipelineId: pipeline._id, stageId: pipeline.stages[0]?._id, stage: 'Won' });
  const { stageIdByName } = (await own.list()).body;
  for (const [request, message] of [
    [{ stage: 'Won', pipelineId: 'nowhere' }, 'pipelineId is not the id of a Contact pipeline'],
    [
      { stage: 'Lost', pipelineId: pipeline._id },
      'stage is not the name of a stage of the pipeline that pipelineId names',
    ],
    [
      { stageId: stageIdByName.Won, pipelineId: pipeline._id },
      'stageId is not the id of a stage of the pipeline that pipelineId names',
    ],
  ] as const) {
    expect(await own.move(_id, request)).toMatchObject({ status: 404, body: { message } });
  }
});
