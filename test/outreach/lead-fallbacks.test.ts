import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, deskOf } from '../contacts/desk.ts';
import { expectStatus, startWorld, type World } from '../harness/world.ts';
import { type LeadSource, leadSource } from './lead-source.ts';

let world: World;
let source: LeadSource;
let desk: Desk;
beforeAll(async () => {
  world = await startWorld();
  source = leadSource(world.product, world.admin);
  desk = deskOf(world.product, world.admin);
});
afterAll(() => world.product.stop());

describe('A configuration whose parts are gone', () => {
  it('of a stage that was removed lets contacts enter its pipeline, and without that the default stage', async () => {
    const token = world.admin.token;
    const body = { name: 'Short-lived', type: 'Contact', stages: [{ name: 'First' }, { name: 'Second' }] };
    const created = await world.product.call('create-pipeline', { token, body });
    const pipeline = expectStatus(created, 201).data;
    const { _id } = await source.configure({ stageId: pipeline.stages[1]._id });
    expect(await source.contact((await source.sent(_id)).contactId)).toMatchObject({ stage: 'Second' });

    const path = { id: pipeline._id };
    for (const { _id: id } of await desk.everything({ pipelineId: pipeline._id })) {
      expectStatus(await desk.remove(id), 200);
    }
    const fewer = { stages: [{ _id: pipeline.stages[0]._id, name: 'First' }] };
    expectStatus(await world.product.call('update-pipeline', { token, path, body: fewer }), 200);
    const inFirst = await source.sent(_id);
    expect(await source.contact(inFirst.contactId)).toMatchObject({
      pipelineId: pipeline._id,
      stage: 'First',
    });

    expectStatus(await desk.remove(inFirst.contactId), 200);
    expectStatus(await world.product.call('delete-pipeline', { token, path }), 200);
    expect(await source.contact((await source.sent(_id)).contactId)).toMatchObject({ stage: 'New' });
  });

  it('in an organization without an active Contact pipeline lets contacts enter the oldest', async () => {
    const admin = await world.product.newOrganization();
    const own = leadSource(world.product, admin);
    const { token } = admin;
    const query = { type: 'Contact' };
    const pipelines = expectStatus(await world.product.call('list-pipelines', { token, query }), 200);
    const path = { id: pipelines.data[0]._id };
    const inactive = { token, path, body: { isActive: false } };
    expectStatus(await world.product.call('update-pipeline', inactive), 200);
    const { contactId } = await own.sent((await own.configure())._id);
    expect(await own.contact(contactId)).toMatchObject({ pipelineId: path.id, stage: 'New' });
  });

  it('of an owner who is disabled gives its leads to nobody, and again to the owner who is back', async () => {
    const owner = await world.product.newColleague(world.admin);
    const setDisabled = async (disabled: boolean) =>
      expectStatus(
        await world.product.call('update-user', {
          token: world.admin.token,
          path: { id: owner.userId },
          body: { disabled },
        }),
        200,
      );
    const { _id } = await source.configure({ ownerId: owner.userId });
    const ownerOfNext = async () => (await source.contact((await source.sent(_id)).contactId)).owner;
    expect(await ownerOfNext()).toBe(owner.userId);
    await setDisabled(true);
    expect(await ownerOfNext()).toBeNull();
    await setDisabled(false);
    expect(await ownerOfNext()).toBe(owner.userId);
  });

  it('uses another owner from the moment it is configured', async () => {
    const { _id } = await source.configure({ ownerId: world.rep.userId });
    await source.sent(_id);
    expectStatus(await source.change(_id, { ownerId: world.stranger.userId }), 200);
    const { contactId } = await source.sent(_id);
    expect(await source.contact(contactId)).toMatchObject({ owner: world.stranger.userId });
    expectStatus(await source.change(_id, { ownerId: null }), 200);
    expect((await source.contact((await source.sent(_id)).contactId)).owner).toBeNull();
  });
});
