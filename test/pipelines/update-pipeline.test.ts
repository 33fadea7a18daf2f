import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Pipeline } from '../../shared/pipelines/pipeline.ts';
import { applicationDeskOf } from '../applications/application-desk.ts';
import { type Desk, deskOf } from '../contacts/desk.ts';
import { type Person, type Product, startProduct } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';
import { type PipelineDesk, pipelineDeskOf } from './pipeline-desk.ts';

let product: Product;
let admin: Person;
let desk: PipelineDesk;
let contacts: Desk;
/** The active Contact pipeline. */
let sales: Pipeline;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.stop());
beforeEach(async () => {
  admin = await product.newOrganization();
  desk = pipelineDeskOf(product, admin);
  contacts = deskOf(product, admin);
  sales = (await desk.list('Contact'))[0] as Pipeline;
});

const namesOf = ({ stages }: Pipeline) => stages.map(({ name }) => name);
const updated = async (id: string, body: Record<string, unknown>): Promise<Pipeline> =>
  expectStatus(await desk.update(id, body), 200).data;

describe('PUT /api/pipelines/{id}', () => {
  it('answers {success, message, data} with the whole pipeline, and changes what was named alone', async () => {
    const at = new Date(Date.now() + 1_000);
    const { status, body } = await desk.update(sales._id, { name: ' Sales ' }, at);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        message: 'Pipeline updated',
        data: { ...sales, name: 'Sales', updatedAt: at.toISOString() },
      },
    });
    expect(Object.keys(body)).toEqual(['success', 'message', 'data']);
    expect(await desk.find(sales._id)).toEqual(body.data);
  });

  it('with what it is already changes nothing, not even updatedAt', async () => {
    const { name, stages, isActive } = sales;
    for (const body of [
      {},
      { name, stages, isActive },
      { stages: stages.map((stage) => ({ name: stage.name })) },
    ]) {
      const answer = await desk.update(sales._id, body, new Date(Date.now() + 5_000));
      expect(answer).toMatchObject({ status: 200, body: { data: sales } });
    }
  });

  it('renames a stage: its contacts stay in it, under the new name at once', async () => {
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

  it('exchanges two names, without moving anybody', async () => {
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

  it('reorders stages: the board follows, and new contacts enter the first', async () => {
    await contacts.created({ firstName: 'Before' });
    const stages = [...sales.stages].reverse();
    expect((await updated(sales._id, { stages })).stages).toEqual(stages);
    expect(Object.keys(await contacts.board())).toEqual(['Lost', 'Won', 'Qualified', 'Contacted', 'New']);
    expect(await contacts.created({ firstName: 'After' })).toMatchObject({ stage: 'Lost' });
  });

  it('adds and removes stages; a stage without an id is the one of that name, or new', async () => {
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

  it('refuses to remove a stage that holds a contact: 409 that names it, and nothing changes', async () => {
    const { _id } = await contacts.created({ firstName: 'Ada', stage: 'Qualified' });
    const rest = sales.stages.filter(({ name }) => name !== 'Qualified' && name !== 'Lost');
    const { status, body } = await desk.update(sales._id, { name: 'Less', stages: rest });
    expect({ status, body }).toEqual({
      status: 409,
      body: {
        success: false,
        message: 'The stage "Qualified" still holds contacts. Move or delete them first.',
      },
    });
    expect(await desk.find(sales._id)).toEqual(sales);
    expect((await contacts.move(_id, { stage: 'Lost' })).status).toBe(200);
    expectStatus(await contacts.move(_id, { stage: 'Won' }), 200);
    expect(namesOf(await updated(sales._id, { stages: rest }))).toEqual(['New', 'Contacted', 'Won']);
  });

  it('refuses to remove a stage that holds an application', async () => {
    const [pipeline] = await desk.list('Application');
    const { _id: contactId } = await contacts.created({ firstName: 'Ada' });
    const applications = applicationDeskOf(product, admin);
    const { _id } = await applications.created({ contactId, name: 'Loan' });
    const stages = pipeline?.stages.slice(1);
    expect(await desk.update(pipeline?._id ?? '', { stages })).toMatchObject({
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

  it('after a removal answers 404 for the stage, by id and by name, and never fills it again', async () => {
    const { _id } = await contacts.created({ firstName: 'Ada' });
    const lost = sales.stages[4];
    await updated(sales._id, { stages: sales.stages.slice(0, 4) });
    for (const wish of [{ stage: 'Lost' }, { stageId: lost?._id }]) {
      for (const answer of [
        await contacts.create({ firstName: 'Late', ...wish }),
        await contacts.move(_id, wish),
      ]) {
        expect({ status: answer.status, body: answer.body }).toEqual({
          status: 404,
          body: { error: 'Not found', message: 'Stage not found' },
        });
      }
    }
    const answer = await desk.update(sales._id, { stages: [...sales.stages] });
    expect(answer).toMatchObject({ status: 404, body: { success: false, message: 'Stage not found' } });
  });

  it('makes a pipeline active in place of another, and inactive: then boards are empty', async () => {
    const partners = await desk.created({ name: 'Partners', stages: ['Invited', 'Signed'] });
    await contacts.created({ firstName: 'Before' });
    await updated(partners._id, { isActive: true });
    expect((await desk.list('Contact')).map(({ isActive }) => isActive)).toEqual([false, true]);
    expect(await contacts.created({ firstName: 'After' })).toMatchObject({ stage: 'Invited' });
    await updated(partners._id, { isActive: false });
    expect((await contacts.list()).body).toEqual({ data: {}, stageIdByName: {} });
    expect(await contacts.create({ firstName: 'Nowhere' })).toMatchObject({
      status: 404,
      body: { message: 'No Contact pipeline is active. Name a stageId, or make a pipeline active.' },
    });
    await updated(sales._id, { isActive: true });
    expect(await contacts.created({ firstName: 'Home' })).toMatchObject({ stage: 'New' });
  });

  it('keeps names unique within a type: 409', async () => {
    const partners = await desk.created({ name: 'Partners', stages: ['Invited'] });
    expect(await desk.update(partners._id, { name: sales.name })).toMatchObject({
      status: 409,
      body: { success: false, message: 'Another pipeline of this type already has this name.' },
    });
    const [application] = await desk.list('Application');
    expect((await updated(application?._id ?? '', { name: 'Partners' })).name).toBe('Partners');
  });

  it('answers 404 for a pipeline that is not there, or another organization’s', async () => {
    const foreign = pipelineDeskOf(product, await product.newOrganization());
    for (const [own, id] of [
      [desk, 'nothing'],
      [foreign, sales._id],
    ] as const) {
      for (const answer of [await own.update(id, { name: 'Mine' }), await own.remove(id)]) {
        expect({ status: answer.status, body: answer.body }).toEqual({
          status: 404,
          body: { success: false, message: 'Pipeline not found' },
        });
      }
    }
  });

  it.each([
    [{ name: ' ' }, 'name must not be empty'],
    [{ stages: [] }, 'stages must have at least 1 items'],
    [
      { stages: Array.from({ length: 51 }, (_, n) => ({ name: `s${n}` })) },
      'stages must have at most 50 items',
    ],
    [{ stages: [{ name: 'a' }, { name: 'a ' }] }, 'stages must not contain a name twice'],
    [
      {
        stages: [
          { _id: 's', name: 'a' },
          { _id: 's', name: 'b' },
        ],
      },
      'stages must not contain a stage twice',
    ],
    [{ stages: [{ name: '12' }] }, 'stages[0].name must not be only a number, or __proto__'],
    [{ stages: [{ _id: 'no' }] }, 'stages[0].name is required'],
    [{ isActive: 'yes' }, 'isActive must be true or false'],
  ])('of %o says what is wrong: 400', async (body, message) => {
    expect(await desk.update(sales._id, body)).toMatchObject({
      status: 400,
      body: { success: false, message },
    });
  });

  it('is for an ADMIN', async () => {
    const head = pipelineDeskOf(product, await product.newColleague(admin, 'DEPARTMENT_HEAD'));
    for (const answer of [await head.update(sales._id, { name: 'Mine' }), await head.remove(sales._id)]) {
      expect(answer).toMatchObject({ status: 403, body: { success: false } });
    }
  });
});

describe('DELETE /api/pipelines/{id}', () => {
  it('answers 200 {success, message}; the board of the pipeline is a 404 from then on', async () => {
    const partners = await desk.created({ name: 'Partners', stages: ['Invited'] });
    const { status, body } = await desk.remove(partners._id);
    expect({ status, body }).toEqual({ status: 200, body: { success: true, message: 'Pipeline deleted' } });
    expect((await contacts.list({ pipelineId: partners._id })).status).toBe(404);
    expect(await desk.list('Contact')).toEqual([sales]);
    expect((await desk.remove(partners._id)).status).toBe(404);
    await desk.created({ name: 'Partners', stages: ['Invited'] });
  });

  it('of a pipeline that holds a contact is a 409 that names the stage', async () => {
    const partners = await desk.created({ name: 'Partners', stages: ['Invited', 'Signed'] });
    const stageId = partners.stages[1]?._id;
    const { _id } = await contacts.created({ firstName: 'Ada', stageId });
    expect(await desk.remove(partners._id)).toMatchObject({
      status: 409,
      body: {
        success: false,
        message: 'The stage "Signed" still holds contacts. Move or delete them first.',
      },
    });
    expect(await desk.find(partners._id)).toEqual(partners);
    expectStatus(await contacts.remove(_id), 200);
    expectStatus(await desk.remove(partners._id), 200);
    expect((await contacts.create({ firstName: 'Late', stageId })).status).toBe(404);
  });

  it('of the active one, when it is empty, leaves boards {} until another is active', async () => {
    await contacts.list();
    expectStatus(await desk.remove(sales._id), 200);
    expect((await contacts.list()).body).toEqual({ data: {}, stageIdByName: {} });
    expect((await contacts.create({ firstName: 'Nowhere' })).status).toBe(404);
    await desk.created({ name: 'Anew', stages: ['First'], isActive: true });
    expect(await contacts.created({ firstName: 'Ada' })).toMatchObject({ stage: 'First' });
  });
});
