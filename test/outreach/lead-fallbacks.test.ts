import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/world.ts';
import { setDisabled } from '../organizations/client.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { leadsClient } from './leads-client.ts';

const { product, admin, rep, stranger } = await setUpWorld();
const leads = leadsClient(product, admin);
const contacts = contactsClient(product, admin);

test('A configuration with a stage that was removed lets contacts enter its pipeline, and without that the default stage', async () => {
  const pipelines = pipelinesClient(product, admin);
  const pipeline = await pipelines.created({ name: 'Short-lived', stages: ['First', 'Second'] });
  const { _id } = await leads.configure({ stageId: pipeline.stages[1]?._id });
  expect(await leads.contact((await leads.sent(_id)).contactId)).toMatchObject({ stage: 'Second' });

  for (const { _id: id } of await contacts.everything({ pipelineId: pipeline._id })) {
    expectStatus(await contacts.remove(id), 200);
  }
  expectStatus(await pipelines.update(pipeline._id, { stages: pipeline.stages.slice(0, 1) }), 200);
  const inFirst = await leads.sent(_id);
  expect(await leads.contact(inFirst.contactId)).toMatchObject({ pipelineId: pipeline._id, stage: 'First' });

  expectStatus(await contacts.remove(inFirst.contactId), 200);
  expectStatus(await pipelines.remove(pipeline._id), 200);
  expect(await leads.contact((await leads.sent(_id)).contactId)).toMatchObject({ stage: 'New' });
});

test('A configuration in an organization without an active Contact pipeline lets contacts enter the oldest', async () => {
  const other = await product.newOrganization();
  const own = leadsClient(product, other);
  const { _id: pipelineId } = await pipelinesClient(product, other).deactivate('Contact');
  const { contactId } = await own.sent((await own.configure())._id);
  expect(await own.contact(contactId)).toMatchObject({ pipelineId, stage: 'New' });
});

test('A configuration with an owner who is disabled gives its leads to nobody, and again to the owner who is back', async () => {
  const owner = await product.newColleague(admin);
  const { _id } = await leads.configure({ ownerId: owner.userId });
  const ownerOfNext = async () => (await leads.contact((await leads.sent(_id)).contactId)).owner;
  expect(await ownerOfNext()).toBe(owner.userId);
  await setDisabled(product, admin, owner, true);
  expect(await ownerOfNext()).toBeNull();
  await setDisabled(product, admin, owner, false);
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
