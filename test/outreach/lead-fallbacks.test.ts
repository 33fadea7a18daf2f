import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ContactsClient, contactsClient } from '../contacts/client.ts';
import { expectStatus, startWorld, type World } from '../harness/world.ts';
import { type LeadsClient, leadsClient } from './leads-client.ts';

let world: World;
let leads: LeadsClient;
let contacts: ContactsClient;
beforeAll(async () => {
  world = await startWorld();
  leads = leadsClient(world.product, world.admin);
  contacts = contactsClient(world.product, world.admin);
});
afterAll(() => world.product.stop());

describe('A configuration whose parts are gone', () => {
  it('of a stage that was removed lets contacts enter its pipeline, and without that the default stage', async () => {
    const token = world.admin.token;
    const body = { name: 'Short-lived', type: 'Contact', stages: [{ name: 'First' }, { name: 'Second' }] };
    const created = await world.product.call('create-pipeline', { token, body });
    const pipeline = expectStatus(created, 201).data;
    const { _id } = await leads.configure({ stageId: pipeline.stages[1]._id });
    expect(await leads.contact((await leads.sent(_id)).contactId)).toMatchObject({ stage: 'Second' });

    const path = { id: pipeline._id };
    for (const { _id: id } of await contacts.everything({ pipelineId: pipeline._id })) {
      expectStatus(await contacts.remove(id), 200);
    }
    const fewer = { stages: [{ _id: pipeline.stages[0]._id, name: 'First' }] };
    expectStatus(await world.product.call('update-pipeline', { token, path, body: fewer }), 200);
    const inFirst = await leads.sent(_id);
    expect(await leads.contact(inFirst.contactId)).toMatchObject({
      pipelineId: pipeline._id,
      stage: 'First',
    });

    expectStatus(await contacts.remove(inFirst.contactId), 200);
    expectStatus(await world.product.call('delete-pipeline', { token, path }), 200);
    expect(await leads.contact((await leads.sent(_id)).contactId)).toMatchObject({ stage: 'New' });
  });

  it('in an organization without an active Contact pipeline lets contacts enter the oldest', async () => {
    const admin = await world.product.newOrganization();
    const own = leadsClient(world.product, admin);
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
    const { _id } = await leads.configure({ ownerId: owner.userId });
    const ownerOfNext = async () => (await leads.contact((await leads.sent(_id)).contactId)).owner;
    expect(await ownerOfNext()).toBe(owner.userId);
    await setDisabled(true);
    expect(await ownerOfNext()).toBeNull();
    await setDisabled(false);
    expect(await ownerOfNext()).toBe(owner.userId);
  });

  it('uses another owner from the moment it is configured', async () => {
    const { _id } = await leads.configure({ ownerId: world.rep.userId });
    await leads.sent(_id);
    expectStatus(await leads.change(_id, { ownerId: world.stranger.userId }), 200);
    const { contactId } = await leads.sent(_id);
    expect(await leads.contact(contactId)).toMatchObject({ owner: world.stranger.userId });
    expectStatus(await leads.change(_id, { ownerId: null }), 200);
    expect((await leads.contact((await leads.sent(_id)).contactId)).owner).toBeNull();
  });
});
