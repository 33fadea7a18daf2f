import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../harness/product.ts';
import { expectStatus, startWorld, type World } from '../harness/world.ts';
import { configurationKeys, type LeadSource, leadSource } from './lead-source.ts';

let world: World;
let source: LeadSource;
beforeAll(async () => {
  world = await startWorld();
  source = leadSource(world.product, world.admin);
});
afterAll(() => world.product.stop());

const create = (body: Record<string, unknown>, { token }: Person = world.admin) =>
  world.product.call('create-outreach-configuration', { token, body });
const read = (id: string, { token }: Person = world.admin) =>
  world.product.call('read-outreach-configuration', { token, path: { id } });
const remove = (id: string, { token }: Person = world.admin) =>
  world.product.call('delete-outreach-configuration', { token, path: { id } });

async function pipelineOf({ token }: Person, type = 'Contact') {
  const { data } = expectStatus(await world.product.call('list-pipelines', { token, query: { type } }), 200);
  return data[0] as { _id: string; stages: { _id: string; name: string }[] };
}

describe('A new outreach configuration', () => {
  it('of a name alone is active, decides nothing else, and is 201 {success, message, data}', async () => {
    const { status, body } = await create({ name: ' Spring campaign ' });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['success', 'message', 'data']);
    expect(Object.keys(body.data)).toEqual(configurationKeys);
    expect(body.data).toMatchObject({
      organizationId: world.admin.organizationId,
      userId: world.admin.userId,
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

  it('keeps what is said of it, and finds the pipeline of its stage', async () => {
    const { _id: pipelineId, stages } = await pipelineOf(world.admin);
    const said = {
      source: 'Facebook',
      stageId: stages[2]?._id,
      ownerId: world.rep.userId,
      createApplication: true,
      isActive: false,
    };
    const { data } = expectStatus(await create({ name: 'Full', ...said }), 201);
    expect(data).toMatchObject({ ...said, pipelineId });
  });

  it('ignores system fields sent along, and takes null for nothing', async () => {
    const { data } = expectStatus(
      await create({
        name: 'Plain',
        _id: 'mine',
        organizationId: world.foreigner.organizationId,
        userId: world.rep.userId,
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
      organizationId: world.admin.organizationId,
      userId: world.admin.userId,
      hasSecret: false,
    });
  });

  it.each([
    [{}, 'name is required'],
    [{ name: ' ' }, 'name must not be empty'],
    [{ name: '👋'.repeat(201) }, 'name must have at most 200 characters'],
    [{ name: 'x', source: 'é'.repeat(201) }, 'source must have at most 200 characters'],
    [{ name: 'x', createApplication: 'yes' }, 'createApplication must be true or false'],
    [
      { name: 'x', secret: 'whsec_c2hvcnQ=' },
      'secret must be true, or whsec_ followed by 24 to 64 bytes in base64',
    ],
    [{ name: 'x', secret: false }, 'secret must be true, or whsec_ followed by 24 to 64 bytes in base64'],
    [{ name: 'x', ownerId: 'nobody' }, 'ownerId must be the id of a user of this organization'],
  ])('of %j is 400 {success: false, message}', async (body, message) => {
    const answer = await create(body);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 400,
      body: { success: false, message },
    });
  });

  it('takes a name and a source of 200 characters, counted in code points', async () => {
    expect((await create({ name: '👋'.repeat(200), source: 'e\u0301'.repeat(100) })).status).toBe(201);
  });

  it('cannot have an owner of another organization', async () => {
    expect((await create({ name: 'x', ownerId: world.foreigner.userId })).status).toBe(400);
  });

  it('cannot have a pipeline or stage that is not there, of another organization, or of applications', async () => {
    const foreign = await pipelineOf(world.foreigner);
    const applications = await pipelineOf(world.admin, 'Application');
    const own = await pipelineOf(world.admin);
    for (const [wish, what] of [
      [{ pipelineId: 'nowhere' }, 'Pipeline'],
      [{ pipelineId: foreign._id }, 'Pipeline'],
      [{ pipelineId: applications._id }, 'Pipeline'],
      [{ stageId: foreign.stages[0]?._id }, 'Stage'],
      [{ stageId: applications.stages[0]?._id }, 'Stage'],
      [{ pipelineId: own._id, stageId: 'nowhere' }, 'Stage'],
    ] as const) {
      const { status, body } = await create({ name: 'x', ...wish });
      expect({ status, body }).toEqual({
        status: 404,
        body: { success: false, message: `${what} not found` },
      });
    }
  });
});

describe('An organization', () => {
  it('has at most 200 configurations: 409 beyond, until one is deleted', async () => {
    const admin = await world.product.newOrganization();
    const names = Array.from({ length: 200 }, (_, index) => `Source ${index}`);
    const ids: string[] = [];
    for (const name of names) {
      ids.push(expectStatus(await create({ name }, admin), 201).data._id);
    }
    const { status, body } = await create({ name: 'One more' }, admin);
    expect({ status, body }).toEqual({
      status: 409,
      body: {
        success: false,
        message: 'The organization already has 200 outreach configurations, the maximum. Delete one first.',
      },
    });
    expectStatus(await create({ name: 'Elsewhere' }), 201);
    expectStatus(await remove(ids[7] ?? '', admin), 200);
    expectStatus(await create({ name: 'One more' }, admin), 201);
  });
});

describe('An update of a configuration', () => {
  it('keeps what it does not name, and answers {success, message, data}', async () => {
    const before = await source.configure({ source: 'Radio', ownerId: world.rep.userId });
    const { status, body } = await source.change(before._id, { isActive: false });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['success', 'message', 'data']);
    expect(body.data).toEqual({ ...before, isActive: false, updatedAt: body.data.updatedAt });
  });

  it('clears what it says is null', async () => {
    const { stages } = await pipelineOf(world.admin);
    const { _id } = await source.configure({
      source: 'Radio',
      ownerId: world.rep.userId,
      stageId: stages[1]?._id,
    });
    const { data } = expectStatus(
      await source.change(_id, { source: null, ownerId: null, pipelineId: null }),
      200,
    );
    expect(data).toMatchObject({ source: null, ownerId: null, pipelineId: null, stageId: null });
  });

  it('to another pipeline leaves the stage of the one before; to another stage finds its pipeline', async () => {
    const home = await pipelineOf(world.admin);
    const body = { name: `Partners ${home._id}`, type: 'Contact', stages: [{ name: 'Invited' }] };
    const partners = expectStatus(
      await world.product.call('create-pipeline', { token: world.admin.token, body }),
      201,
    ).data;
    const { _id } = await source.configure({ stageId: home.stages[1]?._id });
    const moved = expectStatus(await source.change(_id, { pipelineId: partners._id }), 200).data;
    expect(moved).toMatchObject({ pipelineId: partners._id, stageId: null });
    const back = expectStatus(await source.change(_id, { stageId: home.stages[2]?._id }), 200).data;
    expect(back).toMatchObject({ pipelineId: home._id, stageId: home.stages[2]?._id });
    const first = expectStatus(await source.change(_id, { stageId: null }), 200).data;
    expect(first).toMatchObject({ pipelineId: home._id, stageId: null });
  });

  it('of 20 at once loses none', async () => {
    const { _id } = await source.configure();
    const changes: Record<string, unknown>[] = [
      { name: 'Changed' },
      { source: 'Changed' },
      { ownerId: world.rep.userId },
      { createApplication: true },
    ];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => source.change(_id, changes[index % 4] ?? {})),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect((await read(_id)).body.data).toMatchObject(Object.assign({}, ...changes));
  });
});

describe('Configurations', () => {
  it('are an ADMIN’s: 403 for a DEPARTMENT_HEAD and a SALES_REP', async () => {
    const { _id } = await source.configure();
    for (const person of [world.head, world.rep]) {
      for (const answer of [await create({ name: 'x' }, person), await read(_id, person)]) {
        expect(answer.status).toBe(403);
        expect(Object.keys(answer.body)).toEqual(['success', 'message']);
      }
    }
  });

  it('of another organization are like none at all: 404', async () => {
    const { _id } = await source.configure();
    const missing = { success: false, message: 'Outreach configuration not found' };
    for (const id of [_id, 'nothing', 'odd id']) {
      for (const answer of [
        await read(id, world.foreigner),
        await remove(id, world.foreigner),
        await leadSource(world.product, world.foreigner).change(id, { name: 'Mine' }),
      ]) {
        expect({ status: answer.status, body: answer.body }).toEqual({ status: 404, body: missing });
      }
    }
    expect((await read(_id)).status).toBe(200);
  });

  it('are listed newest first, page by page', async () => {
    const admin = await world.product.newOrganization();
    const own = leadSource(world.product, admin);
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.unshift((await own.configure({ name: `Number ${count}` }))._id);
    }
    const list = (query: Record<string, string>) =>
      world.product.call('list-outreach-configurations', { token: admin.token, query });
    const first = expectStatus(await list({ limit: '2' }), 200);
    expect(Object.keys(first)).toEqual(['success', 'data', 'nextCursor']);
    expect(first.data.map(({ _id }: { _id: string }) => _id)).toEqual(ids.slice(0, 2));
    const last = expectStatus(await list({ limit: '2', cursor: first.nextCursor }), 200);
    expect(last.data.map(({ _id }: { _id: string }) => _id)).toEqual(ids.slice(2));
    expect(last.nextCursor).toBeNull();
  });

  it('are deleted once: {success, message}, then 404, also for the lead that comes after', async () => {
    const { _id } = await source.configure();
    await source.sent(_id);
    expect((await remove(_id)).body).toEqual({
      success: true,
      message: 'Outreach configuration deleted',
    });
    expect((await remove(_id)).status).toBe(404);
    const { status, body } = await source.send(_id);
    expect({ status, body }).toEqual({
      status: 404,
      body: { success: false, message: 'Outreach configuration not found' },
    });
  });
});
