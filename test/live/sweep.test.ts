import { afterAll, beforeAll, expect, test } from 'vitest';
import { keys, ranges } from '../../shared/table/keys.ts';
import { type LiveProduct, startLiveProduct } from './live-product.ts';

let live: LiveProduct;
beforeAll(async () => {
  live = await startLiveProduct();
});
afterAll(() => live.product.stop());

/** A contact that owns more than one transaction can delete. */
async function contactWithNotes(): Promise<{
  organizationId: string;
  contactId: string;
  owned(): Promise<number>;
}> {
  const { organizationId, token } = await live.product.newOrganization();
  const { body } = await live.product.call('create-contact', { token, body: { firstName: 'Ada' } });
  const contactId: string = body.data._id;
  const { table, moment } = live.product.tableOf(organizationId);
  const note = { _id: '', note: 'A note' } as never;
  const steps = Array.from({ length: 60 }, () => table.put(keys.note(contactId, moment.newId()), note));
  await table.commit(steps);
  const owned = async () => (await table.list(ranges.contact(contactId))).length;
  return { organizationId, contactId, owned };
}

test('What a deleted contact owned is swept away, as often as the stream tells of it', async () => {
  const [{ organizationId, contactId, owned }, other] = [await contactWithNotes(), await contactWithNotes()];
  const partition = ['ORG', organizationId, 'CONTACT', contactId];
  await live.removed(partition, ['CONTACT']);
  await live.removed(partition, ['CONTACT']);
  expect(await owned()).toBe(0);
  expect(await other.owned()).toBe(61);
});

test('The removal of anything but a contact sweeps nothing away', async () => {
  const { organizationId, contactId, owned } = await contactWithNotes();
  await live.removed(['ORG', organizationId, 'CONTACT', contactId], ['CONTACTED', 'x']);
  await live.removed(['ORG', organizationId, 'CONTACT', contactId, 'x'], ['CONTACT']);
  await live.removed(['IDENTITY', organizationId, 'CONTACT', contactId], ['CONTACT']);
  expect(await owned()).toBe(61);
});
