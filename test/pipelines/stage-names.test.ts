import { expect, test } from 'vitest';
import type { Pipeline } from '../../shared/contacts/pipeline.ts';
import { applicationsClient } from '../applications/client.ts';
import { contactsClient } from '../contacts/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { pipelinesClient } from './client.ts';

const product = await setUpProduct();
const admin = await product.newOrganization();
const pipelines = pipelinesClient(product, admin);
const contacts = contactsClient(product, admin);
const idsOf = (pipeline: Pipeline) => pipeline.stages.map(({ _id }) => _id);

/** `test/contacts/folding.test.ts` has all kinds of pairs. */
const same: [string, string][] = [
  ['Signed', 'SIGNED'],
  ['Signed', ' signed '],
  ['Größe', 'GRÖSSE'],
];

test.each(same)('Two stages of a pipeline cannot be called "%s" and "%s"', async (first, second) => {
  const stages = [{ name: first }, { name: 'between' }, { name: second }];
  const { status, body } = await pipelines.create({ name: first + second, type: 'Contact', stages });
  expect({ status, message: body.message }).toEqual({
    status: 400,
    message: 'stages must not contain the same name twice',
  });
});

test.each(same)('A stage called "%s" is found by "%s" wherever stages are named', async (first, second) => {
  const name = `Names of ${first} and ${second}`;
  const pipeline = await pipelines.created({ name, stages: ['first', first] });
  const { _id: pipelineId } = pipeline;
  const [, stageId] = idsOf(pipeline);
  const entered = await contacts.created({ firstName: 'Ada', pipelineId, stage: second });
  const moved = await contacts.created({ firstName: 'Bob', pipelineId });
  expect(entered.stageId).toBe(stageId);
  const { data } = expectStatus(await contacts.move(moved._id, { stage: second }), 200);
  expect(data).toMatchObject({ stageId, stage: first });

  const all = { pipelineId, size: 1 };
  for (const filter of [{ status: second }, { stages: [second, first] }]) {
    const board = await contacts.board({ ...all, ...filter });
    expect(Object.keys(board)).toEqual([first]);
    expect(board[first]?.total).toBe(2);
  }
  const board = await contacts.board({ ...all, page: { [second]: 2 } });
  expect(board[first]?.contacts).toHaveLength(1);
  const [onFirst] = (await contacts.board(all))[first]?.contacts ?? [];
  expect(board[first]?.contacts[0]?._id).not.toBe(onFirst?._id);
  const byId = { stages: ['other'], stageIdByName: { OTHER: stageId } };
  expect(Object.keys(await contacts.board({ ...all, ...byId }))).toEqual([first]);

  const edit = { stages: [{ name: 'first' }, { name: second }, { name: 'third' }] };
  const edited: Pipeline = expectStatus(await pipelines.update(pipelineId, edit), 200).data;
  expect(edited.stages.slice(0, 2)).toEqual(pipeline.stages);
});

test('Applications are moved by the name of a stage in any case', async () => {
  const { _id: contactId } = await contacts.created({ firstName: 'Ada' });
  const applications = applicationsClient(product, admin);
  const { _id } = await applications.created({ contactId, name: 'Loan', stage: 'IN REVIEW' });
  const call = { token: admin.token, path: { id: _id }, body: { stage: 'approved' } };
  const moved = expectStatus(await product.call('move-application', call), 200);
  expect(moved.data.stage).toBe('Approved');
});

test('A stage is spelled in another way by its id alone', async () => {
  const { _id, stages } = await pipelines.created({ name: 'Spelling', stages: ['open', 'done'] });
  const renamed = [{ _id: stages[0]?._id, name: 'OPEN' }, { name: 'DONE' }];
  const edited: Pipeline = expectStatus(await pipelines.update(_id, { stages: renamed }), 200).data;
  expect(edited.stages).toEqual([{ ...stages[0], name: 'OPEN' }, stages[1]]);
});

test.each([
  ['an accent', 'Cafe', 'Café'],
  ['a blank within', 'Sign ed', 'Signed'],
  ['a dotless i', 'Sıgned', 'Signed'],
  ['how a character is written', 'm²', 'm2'],
])('Stages are two when they differ in more than case: %s', async (name, first, second) => {
  const pipeline = await pipelines.created({ name, stages: [first, second] });
  const entered = await contacts.created({ firstName: 'Ada', pipelineId: pipeline._id, stage: second });
  expect(entered.stage).toBe(second);
});

test.each(['\u200b', '\u3164\u00ad', '\ufe0f\n', '\u0007', '\u2028'])(
  'A stage cannot be called by invisible characters alone (%j)',
  async (name) => {
    const { status, body } = await pipelines.create({ name: 'x', type: 'Contact', stages: [{ name }] });
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: 'stages[0].name must not be empty',
    });
  },
);
