import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { type BoardResponse, contactsClient } from './client.ts';

const { product } = await setUpTenants();

const boardOf = (person: Person, body: Record<string, unknown> = {}, at?: Date) =>
  contactsClient(product, person).board(body, at);

const namesIn = (board: BoardResponse, stage = 'New') =>
  board[stage]?.contacts.map(({ firstName }) => firstName);

const create = (person: Person, body: Record<string, unknown>, at?: Date) =>
  contactsClient(product, person).created(body, at);

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

test('The board of a new organization has the five stages of the Contact pipeline in order, all empty', async () => {
  const admin = await product.newOrganization();
  const { body } = await contactsClient(product, admin).list();
  expect(Object.keys(body)).toEqual(['data', 'stageIdByName']);
  expect(Object.keys(body.data)).toEqual(['New', 'Contacted', 'Qualified', 'Won', 'Lost']);
  expect(Object.keys(body.stageIdByName)).toEqual(Object.keys(body.data));
  expect(body.data.New).toEqual({ contacts: [], total: 0 });
  expect((await product.call('list-contacts-by-stage', { token: admin.token })).body).toEqual(body);
});

test('The board of a new organization has the four stages of the Application pipeline when asked for that type', async () => {
  const admin = await product.newOrganization();
  const board = await boardOf(admin, { pipelineType: 'Application' });
  expect(Object.keys(board)).toEqual(['Submitted', 'In review', 'Approved', 'Declined']);
});

const pagesAdmin = await product.newOrganization();
for (let n = 1; n <= 7; n += 1) {
  await create(pagesAdmin, { firstName: `n${n}` }, minutesAgo(n));
}
await create(pagesAdmin, { firstName: 'won', stage: 'Won' });

test('The pages of a board have the size asked for, and the total counts every page', async () => {
  const board = await boardOf(pagesAdmin, { size: 3, page: { New: 2 } });
  expect(namesIn(board)).toEqual(['n4', 'n5', 'n6']);
  expect(board.New?.total).toBe(7);
  expect(board.Won?.total).toBe(1);
  expect(namesIn(board, 'Won')).toEqual(['won']);
});

test('The pages of a board may be named by stage id, and lie beyond the end', async () => {
  const { body } = await contactsClient(product, pagesAdmin).list();
  const board = await boardOf(pagesAdmin, {
    size: 3,
    page: { [body.stageIdByName.New]: 3, Nowhere: 9, Won: 4 },
  });
  expect(namesIn(board)).toEqual(['n7']);
  expect(board.Won).toEqual({ contacts: [], total: 1 });
});

test.each<[object, string]>([
  [{ size: 0 }, 'size must be at least 1'],
  [{ size: 101 }, 'size must be at most 100'],
  [{ size: 2.5 }, 'size must be a whole number'],
  [{ size: 'ten' }, 'size must be a number'],
  [{ page: { New: 0 } }, 'page.New must be at least 1'],
  [{ page: { New: 1.5 } }, 'page.New must be a whole number'],
  [{ page: 2 }, 'page must be an object'],
  [{ bulkOnly: 'yes' }, 'bulkOnly must be true or false'],
])('The pages of a board refuse %o: %s', async (body, message) => {
  const response = await contactsClient(product, pagesAdmin).list({ ...body });
  expect(response).toMatchObject({ status: 400, body: { error: 'Invalid request', message } });
});

const stagesAdmin = await product.newOrganization();
await create(stagesAdmin, { firstName: 'won', stage: 'Won' });

test('The stages of a board are those listed, in the order listed; unknown names are left out', async () => {
  expect(Object.keys(await boardOf(stagesAdmin, { stages: ['Won', 'Nowhere', 'New'] }))).toEqual([
    'Won',
    'New',
  ]);
});

test('The stages of a board are one alone with `status`, by id or by name', async () => {
  const { body } = await contactsClient(product, stagesAdmin).list();
  expect(Object.keys(await boardOf(stagesAdmin, { status: body.stageIdByName.Won }))).toEqual(['Won']);
  expect(Object.keys(await boardOf(stagesAdmin, { status: 'Won' }))).toEqual(['Won']);
  expect(await boardOf(stagesAdmin, { status: 'Nowhere' })).toEqual({});
});

test('The stages of a board may be named by the client; ids outside the pipeline are ignored', async () => {
  const { body } = await contactsClient(product, stagesAdmin).list();
  const stageIdByName = { Gewonnen: body.stageIdByName.Won, New: 'outside' };
  const board = await boardOf(stagesAdmin, { stages: ['Gewonnen', 'New'], stageIdByName });
  expect(Object.keys(board)).toEqual(['Won', 'New']);
  expect(board.Won?.total).toBe(1);
});

test('The stages of a board are those of the pipeline named; an unknown pipeline is a 404, even to another organization', async () => {
  const other = await product.newOrganization();
  const pipelines = pipelinesClient(product, stagesAdmin);
  const pipeline = await pipelines.created({ name: 'Partners', stages: ['Invited'] });
  expect(Object.keys(await boardOf(stagesAdmin, { pipelineId: pipeline._id }))).toEqual(['Invited']);
  for (const [person, pipelineId] of [
    [other, pipeline._id],
    [stagesAdmin, 'nothing'],
    [stagesAdmin, 'x'.repeat(1_001)],
  ] as const) {
    expect(await contactsClient(product, person).list({ pipelineId })).toMatchObject({
      status: 404,
      body: { error: 'Not found', message: 'pipelineId is not the id of a pipeline of this organization' },
    });
  }
});

test('A new active pipeline takes the board and new contacts over at once', async () => {
  const admin = await product.newOrganization();
  await create(admin, { firstName: 'before' });
  const pipelines = pipelinesClient(product, admin);
  const second = await pipelines.created({ name: 'Second', stages: ['Lead', 'Won'], isActive: true });
  const named = await create(admin, { firstName: 'named', stage: 'Won' });
  expect(named.stageId).toBe(second.stages[1]?._id);
  expect(await create(admin, { firstName: 'after' })).toMatchObject({ stage: 'Lead' });
  expect(namesIn(await boardOf(admin), 'Lead')).toEqual(['after']);
  expect((await pipelines.list('Contact')).map(({ name, isActive }) => [name, isActive])).toEqual([
    ['Contact', false],
    ['Second', true],
  ]);
});

test('A new active pipeline is one alone, however many are made active at the same time', async () => {
  const admin = await product.newOrganization();
  const pipelines = pipelinesClient(product, admin);
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  await Promise.all(
    names.map((name) => pipelines.created({ name, stages: [`first of ${name}`], isActive: true })),
  );
  const all = await pipelines.list();
  const active = all.filter(({ isActive, type }) => isActive && type === 'Contact');
  expect(all).toHaveLength(8);
  expect(active).toHaveLength(1);
  expect(await create(admin, { firstName: 'new' })).toMatchObject({ stage: active[0]?.stages[0]?.name });
});
