import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { eventsOf } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, newPhoneNumber } from '../harness/world.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { callsClient } from './client.ts';

const product = await setUpProduct();

test('An unknown caller enters the first stage by the name it has now', async () => {
  const admin = await product.newOrganization();
  const [calls, pipelines] = [callsClient(product, admin), pipelinesClient(product, admin)];
  const [pipeline] = await pipelines.list('Contact');
  const [first, ...others] = pipeline?.stages ?? [];
  const stages = [{ _id: first?._id, name: 'Entrance' }, ...others];
  expectStatus(await pipelines.update(pipeline?._id ?? '', { stages }), 200);
  const { contactId } = await calls.answered(newPhoneNumber());
  const created = (await eventsOf(product, admin.organizationId)).filter(
    ({ event, data }) => event === 'contact_created' && data.contactId === contactId,
  );
  expect(created).toMatchObject([{ data: { contact: { stage: 'Entrance' } } }]);
  expect((await contactsClient(product, admin).board()).Entrance?.total).toBe(1);
});
