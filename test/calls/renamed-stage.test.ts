import { afterAll, beforeAll, expect, it } from 'vitest';
import { contactsClient, eventsOf } from '../contacts/client.ts';
import { type Fault, type FaultyTable, faultyTable } from '../contacts/faulty-table.ts';
import { type Product, startProduct } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/world.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { callsClient } from './client.ts';

let product: Product;
let table: FaultyTable;
beforeAll(async () => {
  product = await startProduct();
  table = faultyTable();
});
afterAll(async () => {
  table.restore();
  await product.stop();
});

it('an unknown caller enters the first stage by the name it has, also in a process that remembers another', async () => {
  const admin = await product.newOrganization();
  const [phone, pipelines] = [callsClient(product, admin), pipelinesClient(product, admin)];
  const [pipeline] = await pipelines.list('Contact');
  const [first, ...others] = pipeline?.stages ?? [];
  // The call is held back until the stage is renamed.
  const held: Fault = async (next) => {
    const stages = [{ _id: first?._id, name: 'Entrance' }, ...others];
    expectStatus(await pipelines.update(pipeline?._id ?? '', { stages }), 200);
    return next();
  };
  table.next('TransactWriteItemsCommand', held);
  const { contactId } = await phone.answered(newPhoneNumber());
  const created = (await eventsOf(product, admin.organizationId)).filter(
    ({ event, data }) => event === 'contact_created' && data.contactId === contactId,
  );
  expect(created).toMatchObject([{ data: { contact: { stage: 'Entrance' } } }]);
  expect((await contactsClient(product, admin).board()).Entrance?.total).toBe(1);
});
