import { beforeEach, expect, test } from 'vitest';
import { type ContactsClient, contactsClient } from '../contacts/client.ts';
import { timedOut } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { type PipelinesClient, pipelinesClient } from './client.ts';

let admin: Person;
let pipelines: PipelinesClient;
let contacts: ContactsClient;
const product = await setUpProduct();
const table = setUpFaultyTable();
beforeEach(async () => {
  table.clear();
  admin = await product.newOrganization();
  pipelines = pipelinesClient(product, admin);
  contacts = contactsClient(product, admin);
});

const fifty = Array.from({ length: 50 }, (_, n) => `Stage ${n + 1}`);
const transaction = 'TransactWriteItemsCommand';

test('A pipeline of 50 stages is deleted whole, in one transaction', async () => {
  const pipeline = await pipelines.created({ name: 'Long', stages: fifty, isActive: true });
  await arrange(contacts.list());
  table.clear();
  expectStatus(await pipelines.remove(pipeline._id), 200);
  expect(table.tries(transaction)).toHaveLength(1);
  expect(await pipelines.list('Contact')).toHaveLength(1);
  for (const { _id: stageId } of [pipeline.stages[0], pipeline.stages[25], pipeline.stages[49]].map(
    (stage) => stage ?? { _id: '' },
  )) {
    expect((await contacts.create({ firstName: 'Late', stageId })).status).toBe(404);
  }
});

test('A pipeline of 50 stages loses all stages but the one that is kept, and gets others', async () => {
  const pipeline = await pipelines.created({ name: 'Long', stages: fifty, isActive: true });
  const kept = pipeline.stages[20];
  const { _id } = await contacts.created({ firstName: 'Ada', stageId: kept?._id });
  const stages = [{ name: 'Before' }, { ...kept, name: 'Kept' }, { name: 'After' }];
  const { data } = expectStatus(await pipelines.update(pipeline._id, { stages }), 200);
  expect(data.stages).toMatchObject(stages);
  expect(await pipelines.find(pipeline._id)).toEqual(data);
  expect((await contacts.read(_id)).body.data).toMatchObject({ stage: 'Kept' });
  expect(await contacts.created({ firstName: 'Next' })).toMatchObject({ stage: 'Before' });
});

test.each([0, 12, 49])(
  'A pipeline of 50 stages stays as it is when stage %i holds a contact: no stage is closed',
  async (index) => {
    const pipeline = await pipelines.created({ name: 'Long', stages: fifty });
    const stage = pipeline.stages[index];
    await contacts.created({ firstName: 'Ada', stageId: stage?._id });
    expect(await pipelines.remove(pipeline._id)).toMatchObject({
      status: 409,
      body: { message: `The stage "${stage?.name}" still holds contacts. Move or delete them first.` },
    });
    expect(await pipelines.find(pipeline._id)).toEqual(pipeline);
    for (const { _id: stageId, name } of pipeline.stages) {
      expect(await contacts.created({ firstName: 'Again', stageId })).toMatchObject({ stage: name });
    }
  },
);

test.each([0, 25])(
  'A pipeline of 50 stages stays as it is when a contact enters stage %i at the moment of its deletion',
  async (index) => {
    const pipeline = await pipelines.created({ name: 'Long', stages: fifty });
    const stage = pipeline.stages[index];
    table.clear();
    table.next(transaction, async (next) => {
      await contacts.created({ firstName: 'Ada', stageId: stage?._id });
      return next();
    });
    expect(await pipelines.remove(pipeline._id)).toMatchObject({
      status: 409,
      body: { message: `The stage "${stage?.name}" still holds contacts. Move or delete them first.` },
    });
    expect(await pipelines.find(pipeline._id)).toEqual(pipeline);
  },
);

test('A pipeline of 50 stages that could not be deleted while the table did not respond is there, and can be deleted later', async () => {
  const pipeline = await pipelines.created({ name: 'Long', stages: fifty });
  table.clear();
  table.next(transaction, ...Array.from({ length: 5 }, () => timedOut));
  expect((await pipelines.remove(pipeline._id)).status).toBe(503);
  table.clear();
  expect(await pipelines.find(pipeline._id)).toEqual(pipeline);
  expect((await contacts.create({ firstName: 'Ada', stageId: pipeline.stages[49]?._id })).status).toBe(201);
  expect((await pipelines.remove(pipeline._id)).status).toBe(409);
});
