import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/world.ts';
import { leadsClient } from './leads-client.ts';

const world = await setUpWorld();
const { product, rep, stranger } = world;
const leads = leadsClient(product, world.admin);
const contacts = contactsClient(product, world.admin);

test('A configuration with a stage that was removed lets contacts enter its pipeline, and without that the default stage', async () => {
  const token = world.admin.token;
  const body = { name: 'Short-lived', type: 'Contact', stages: [{ name: 'First' }, { name: 'Second' }] };
  const created = await product.call('create-pipeline', { token, body });
  const pipeline = expectStatus(created, 201).data;
  const { _id } = await leads.configure({ stageId: pipeline.stages[1]._id });
  expect(await leads.contact((await leads.sent(_id)).contactId)).toMatchObject({ stage: 'Second' });

  const path = { id: pipeline._id };
  for (const { _id: id } of await contacts.everything({ pipelineId: pipeline._id })) {
    expectStatus(await contacts.remove(id), 200);
  }
  const fewer = { stages: [{ _id: pipeline.stages[0]._id, name: 'First' }] };
  expectStatus(await product.call('update-pipeline', { token, path, body: fewer }), 200);
  const inFirst = await leads.sent(_id);
  expect(await leads.contact(inFirst.contactId)).toMatchObject({ pipelineId: pipeline._id, stage: 'First' });

  expectStatus(await contacts.remove(inFirst.contactId), 200);
  expectStatus(await product.call('delete-pipeline', { token, path }), 200);
  expect(await leads.contact((await leads.sent(_id)).contactId)).toMatchObject({ stage: 'New' });
});

test('A configuration in an organization without an active Contact pipeline lets contacts enter the oldest', async () => {
  const admin = await product.newOrganization();
  const own = leadsClient(product, admin);
  const { token } = admin;
  const query = { type: 'Contact' };
  const pipelines = expectStatus(await product.call('list-pipelines', { token, query }), 200);
  const path = { id: pipelines.data[0]._id };
  const inactive = { token, path, body: { isActive: false } };
  expectStatus(await product.call('update-pipeline', inactive), 200);
  const { contactId } = await own.sent((await own.configure())._id);
  expect(await own.contact(contactId)).toMatchObject({ pipelineId: path.id, stage: 'New' });
});

test('A configuration with an owner who is disabled gives its leads to nobody, and again to the owner who is back', async () => {
  const owner = await product.newColleague(world.admin);
  const setDisabled = async (disabled: boolean) =>
    expectStatus(
      await product.call('update-user', {
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

test('A configuration uses another owner from the moment it is configured', async () => {
  const { _id } = await leads.configure({ ownerId: rep.userId });
  await leads.sent(_id);
  expectStatus(await leads.change(_id, { ownerId: stranger.userId }), 200);
  const { contactId } = await leads.sent(_id);
  expect(await leads.contact(contactId)).toMatchObject({ owner: stranger.userId });
  expectStatus(await leads.change(_id, { ownerId: null }), 200);
  expect((await leads.contact((await leads.sent(_id)).contactId)).owner).toBeNull();
});
