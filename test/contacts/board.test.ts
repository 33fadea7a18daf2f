import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../harness/product.ts';
import { expectStatus, startWorld, type World } from '../harness/world.ts';
import { type BoardResponse, contactsClient } from './client.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.stop());

const boardOf = (person: Person, body: Record<string, unknown> = {}, at?: Date) =>
  contactsClient(world.product, person).board(body, at);

const namesIn = (board: BoardResponse, stage = 'New') =>
  board[stage]?.contacts.map(({ firstName }) => firstName);

const create = (person: Person, body: Record<string, unknown>, at?: Date) =>
  contactsClient(world.product, person).created(body, at);

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

describe('the board of a new organization', () => {
  it('has the five stages of the Contact pipeline in order, all empty', async () => {
    const admin = await world.product.newOrganization();
    const { body } = await world.product.call('list-contacts-by-stage', { token: admin.token, body: {} });
    expect(Object.keys(body)).toEqual(['data', 'stageIdByName']);
    expect(Object.keys(body.data)).toEqual(['New', 'Contacted', 'Qualified', 'Won', 'Lost']);
    expect(Object.keys(body.stageIdByName)).toEqual(Object.keys(body.data));
    expect(body.data.New).toEqual({ contacts: [], total: 0 });
  });

  it('has the four stages of the Application pipeline when asked for that type', async () => {
    const admin = await world.product.newOrganization();
    const board = await boardOf(admin, { pipelineType: 'Application' });
    expect(Object.keys(board)).toEqual(['Submitted', 'In review', 'Approved', 'Declined']);
  });

  it('answers an absent body like an empty one', async () => {
    const admin = await world.product.newOrganization();
    const answer = await world.product.call('list-contacts-by-stage', { token: admin.token });
    expect(answer.status).toBe(200);
  });
});

describe('pages', () => {
  let admin: Person;
  beforeAll(async () => {
    admin = await world.product.newOrganization();
    for (let n = 1; n <= 7; n += 1) {
      await create(admin, { firstName: `n${n}` }, minutesAgo(n));
    }
    await create(admin, { firstName: 'won', stage: 'Won' });
  });

  it('begin with the newest contact', async () => {
    expect(namesIn(await boardOf(admin))).toEqual(['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7']);
  });

  it('have the size asked for, and the total counts every page', async () => {
    const board = await boardOf(admin, { size: 3, page: { New: 2 } });
    expect(namesIn(board)).toEqual(['n4', 'n5', 'n6']);
    expect(board.New?.total).toBe(7);
    expect(board.Won?.total).toBe(1);
    expect(namesIn(board, 'Won')).toEqual(['won']);
  });

  it('may be named by stage id, and lie beyond the end', async () => {
    const { body } = await world.product.call('list-contacts-by-stage', { token: admin.token, body: {} });
    const board = await boardOf(admin, {
      size: 3,
      page: { [body.stageIdByName.New]: 3, Nowhere: 9, Won: 4 },
    });
    expect(namesIn(board)).toEqual(['n7']);
    expect(board.Won).toEqual({ contacts: [], total: 1 });
  });

  it('are the same under a filter that everything passes', async () => {
    for (const page of [1, 2, 3]) {
      const query = { size: 3, page: { New: page } };
      expect(await boardOf(admin, { ...query, stages: ['New'], search: 'n' })).toEqual(
        await boardOf(admin, { ...query, stages: ['New'] }),
      );
    }
  });

  it.each([
    { size: 0 },
    { size: 101 },
    { size: 2.5 },
    { size: '10' },
    { page: { New: 0 } },
    { page: { New: -1 } },
    { page: { New: 1.5 } },
    { page: 2 },
  ])('refuse %o and name the field', async (body) => {
    const answer = await world.product.call('list-contacts-by-stage', { token: admin.token, body });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toBe('Invalid request');
    expect(answer.body.message).toMatch(new RegExp(`^${Object.keys(body)[0]}`));
  });
});

describe('stages', () => {
  let admin: Person;
  beforeAll(async () => {
    admin = await world.product.newOrganization();
    await create(admin, { firstName: 'won', stage: 'Won' });
  });

  it('are those listed, in the order listed; unknown names are left out', async () => {
    expect(Object.keys(await boardOf(admin, { stages: ['Won', 'Nowhere', 'New'] }))).toEqual(['Won', 'New']);
  });

  it('are one alone with `status`, by id or by name', async () => {
    const { body } = await world.product.call('list-contacts-by-stage', { token: admin.token, body: {} });
    expect(Object.keys(await boardOf(admin, { status: body.stageIdByName.Won }))).toEqual(['Won']);
    expect(Object.keys(await boardOf(admin, { status: 'Won' }))).toEqual(['Won']);
    expect(await boardOf(admin, { status: 'Nowhere' })).toEqual({});
  });

  it('may be named by the client; ids outside the pipeline are ignored', async () => {
    const { body } = await world.product.call('list-contacts-by-stage', { token: admin.token, body: {} });
    const stageIdByName = { Gewonnen: body.stageIdByName.Won, New: 'outside' };
    const board = await boardOf(admin, { stages: ['Gewonnen', 'New'], stageIdByName });
    expect(Object.keys(board)).toEqual(['Won', 'New']);
    expect(board.Won?.total).toBe(1);
  });

  it('are those of the pipeline named; an unknown pipeline is a 404, also to another organization', async () => {
    const other = await world.product.newOrganization();
    const pipeline = expectStatus(
      await world.product.call('create-pipeline', {
        token: admin.token,
        body: { name: 'Partners', type: 'Contact', stages: [{ name: 'Invited' }] },
      }),
      201,
    ).data;
    expect(Object.keys(await boardOf(admin, { pipelineId: pipeline._id }))).toEqual(['Invited']);
    for (const [person, pipelineId] of [
      [other, pipeline._id],
      [admin, 'nothing'],
    ] as const) {
      const answer = await world.product.call('list-contacts-by-stage', {
        token: person.token,
        body: { pipelineId },
      });
      expect(answer).toMatchObject({
        status: 404,
        body: { error: 'Not found', message: 'Pipeline not found' },
      });
    }
  });
});

describe('a new active pipeline', () => {
  it('takes the board and new contacts over at once', async () => {
    const admin = await world.product.newOrganization();
    await create(admin, { firstName: 'before' });
    const body = {
      name: 'Second',
      type: 'Contact',
      stages: [{ name: 'Lead' }, { name: 'Deal' }],
      isActive: true,
    };
    expectStatus(await world.product.call('create-pipeline', { token: admin.token, body }), 201);
    expect(await create(admin, { firstName: 'after' })).toMatchObject({ stage: 'Lead' });
    expect(namesIn(await boardOf(admin), 'Lead')).toEqual(['after']);
    const pipelines = expectStatus(
      await world.product.call('list-pipelines', { token: admin.token, query: { type: 'Contact' } }),
      200,
    ).data;
    expect(
      pipelines.map(({ name, isActive }: { name: string; isActive: boolean }) => [name, isActive]),
    ).toEqual([
      ['Contact', false],
      ['Second', true],
    ]);
  });

  it('is one alone, however many are made active at the same time', async () => {
    const admin = await world.product.newOrganization();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(
      names.map((name) =>
        world.product.call('create-pipeline', {
          token: admin.token,
          body: { name, type: 'Contact', stages: [{ name: `first of ${name}` }], isActive: true },
        }),
      ),
    );
    const pipelines = expectStatus(
      await world.product.call('list-pipelines', { token: admin.token }),
      200,
    ).data;
    const active = pipelines.filter(
      (one: { isActive: boolean; type: string }) => one.isActive && one.type === 'Contact',
    );
    expect(pipelines).toHaveLength(8);
    expect(active).toHaveLength(1);
    expect(await create(admin, { firstName: 'new' })).toMatchObject({ stage: active[0].stages[0].name });
  });
});
