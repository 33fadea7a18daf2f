import { beforeEach, expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { countStatuses, expectStatus, outcome } from '../harness/tenants.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { type SegmentsClient, segmentsClient } from './client.ts';

const product = await setUpProduct();
let admin: Person;
let rep: Person;
let own: SegmentsClient;
let others: SegmentsClient;
beforeEach(async () => {
  admin = await product.newOrganization();
  rep = await product.newColleague(admin);
  own = segmentsClient(product, rep);
  others = segmentsClient(product, admin);
});

const refusal = (status: number, error: string, message: string) => ({ status, body: { error, message } });
const notFound = refusal(404, 'Not found', 'Segment not found');
const create = (person: Person, body: Record<string, unknown>) =>
  contactsClient(product, person).created({ firstName: 'Ada', ...body });

test('POST /api/segments keeps a filter of the board, and only its creator sees it until it is shared', async () => {
  const filter = {
    source: 'Referral',
    search: '',
    customFilters: { size: [1, 'M'] },
    page: { New: 2 },
    size: 5,
  };
  const { data, ...rest } = expectStatus(await own.create({ name: ' Mine ', filter }), 201);
  expect(rest).toEqual({ success: true, message: 'Segment created' });
  expect(data).toEqual({
    _id: expect.any(String),
    name: 'Mine',
    filter: {
      ...{ source: 'Referral', customFilters: { size: [1, 'M'] } },
      ...{ ownerFilter: 'all', pipelineType: 'Contact' },
    },
    isShared: false,
    createdBy: rep.userId,
    createdAt: expect.any(String),
    updatedAt: data.createdAt,
    problems: [],
  });
  expect(await own.listed()).toEqual([data]);
  expect(await others.listed()).toEqual([]);
  for (const call of [others.read, others.count, others.remove]) {
    expect(outcome(await call(data._id))).toEqual(notFound);
  }
  expectStatus(await own.update(data._id, { isShared: true }), 200);
  expect(await others.listed()).toMatchObject([{ name: 'Mine', isShared: true }]);
});

test('A shared segment is changed by its creator and by an ADMIN, and by nobody else', async () => {
  const { _id } = await others.created({}, { isShared: true });
  const refused = refusal(403, 'Forbidden', 'Only the creator of a segment or an ADMIN may change it.');
  expect(outcome(await own.update(_id, { name: 'Theirs' }))).toEqual(refused);
  expect(outcome(await own.remove(_id))).toEqual(refused);
  const mine = await own.created({}, { isShared: true });
  const { data } = expectStatus(await others.update(mine._id, { filter: { bulkOnly: true } }), 200);
  expect(data.filter).toMatchObject({ bulkOnly: true });
  const same = await others.update(mine._id, { filter: { bulkOnly: true } }, new Date(Date.now() + 5_000));
  expect(same.body).toEqual({ success: true, message: 'No changes', data });
  expectStatus(await others.remove(mine._id), 200);
  expect(outcome(await own.read(mine._id))).toEqual(notFound);
});

test('A count has the contacts in the scope of whoever asks, and `me` is that person', async () => {
  await create(admin, { source: 'Fair' });
  await create(admin, { source: 'Fair', owner: rep.userId });
  await create(rep, { source: 'fair' });
  await create(rep, { source: 'Web' });
  const fair = await others.created({ source: 'Fair' }, { isShared: true });
  expect([await others.counted(fair._id), await own.counted(fair._id)]).toEqual([
    { count: 3, problems: [] },
    { count: 2, problems: [] },
  ]);
  const { _id } = await others.created({ ownerFilter: 'me' }, { isShared: true });
  expect([await others.counted(_id), await own.counted(_id)]).toMatchObject([{ count: 2 }, { count: 3 }]);
  const listed = await others.created({ owner: ['me'], source: 'web' }, { isShared: true });
  expect([await others.counted(listed._id), await own.counted(listed._id)]).toMatchObject([
    { count: 0 },
    { count: 1 },
  ]);
  const board = await contactsClient(product, rep).everything({ owner: ['me'] });
  expect(board).toHaveLength(3);
});

test('A filter finds nothing for what is gone and says so', async () => {
  const pipelines = pipelinesClient(product, admin);
  const partners = await pipelines.created({ name: 'Partners', stages: ['Invited', 'Signed'] });
  const [, signed] = partners.stages;
  await create(admin, { pipelineId: partners._id });
  const inPipeline = { pipelineId: partners._id };
  const stages = await others.created({ ...inPipeline, stages: ['invited', 'Signed'], status: signed?._id });
  const all = await others.created({ ...inPipeline, owner: [admin.userId, 'nobody'], ownerFilter: 'me' });
  expect([stages.problems, all.problems]).toEqual([
    [],
    ['owner[1] is not the id of a user of this organization.'],
  ]);
  expect(await others.counted(all._id)).toEqual({ count: 1, problems: all.problems });
  expectStatus(await pipelines.update(partners._id, { stages: [{ name: 'Invited' }] }), 200);
  const gone = ['status is not a stage of the pipeline.', 'stages[1] is not a stage of the pipeline.'];
  expect(await others.counted(stages._id)).toEqual({ count: 0, problems: gone });
  expect((await others.read(stages._id)).body.data.problems).toEqual(gone);

  const [contact] = (await contactsClient(product, admin).board(inPipeline)).Invited?.contacts ?? [];
  await contactsClient(product, admin).remove(contact?._id ?? '');
  expectStatus(await pipelines.remove(partners._id), 200);
  const noPipeline = ['pipelineId is not the id of a pipeline of this organization.'];
  expect(await others.counted(stages._id)).toEqual({ count: 0, problems: noPipeline });
  await pipelines.deactivate('Contact');
  const usual = await others.created({ pipelineType: 'Contact' });
  expect(usual.problems).toEqual(['There is no active Contact pipeline.']);
  expect(await others.counted(usual._id)).toMatchObject({ count: 0 });
});

test('A filter that a board would refuse is refused, and so is one of more than 32 KB', async () => {
  const invalid = (message: string) => refusal(400, 'Invalid request', message);
  expect(outcome(await own.create({ name: 'Bad', filter: { customFilters: { a: '(' } } }))).toEqual(
    invalid('customFilters.a must be a regular expression in RE2 syntax'),
  );
  expect(outcome(await own.create({ name: 'Bad', filter: { messageStatus: 'lost' } }))).toEqual(
    invalid('filter.messageStatus must be one of all, answered, unanswered'),
  );
  const stageIdByName = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [index, 'x'.repeat(30)]),
  );
  expect(outcome(await own.create({ name: 'Bad', filter: { stageIdByName } }))).toEqual(
    invalid('filter must have at most 32 KB as JSON'),
  );
});

test('An organization has at most 200 segments, also when many are created at once, and a deleted one makes room', async () => {
  const responses = await Promise.all(
    Array.from({ length: 210 }, (_, index) => own.create({ name: `Segment ${index}`, filter: {} })),
  );
  expect(countStatuses(responses)).toEqual({ 201: 200, 409: 10 });
  expect(outcome(await own.create({ name: 'More', filter: {} }))).toEqual(
    refusal(409, 'Conflict', 'The organization has 200 segments, the maximum. Delete one first.'),
  );
  const [first] = await own.listed();
  expectStatus(await own.remove(first?._id ?? ''), 200);
  expectStatus(await own.create({ name: 'More', filter: {} }), 201);
});
