import { afterAll, expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { assigned, organizationsClient } from '../organizations/client.ts';
import { loseContactPipelines, pipelinesClient } from '../pipelines/client.ts';
import { readVoiceConversations } from './call-records.ts';
import { callFailure, callsClient } from './client.ts';
import { expectConsistent } from './consistency.ts';

const tenants = await setUpTenants();
const { product, superadmin } = tenants;
const contacts = contactsClient(product, tenants.admin);
afterAll(() => expectConsistent(product, tenants.admin));

/** Gives a user a number. */
async function assign(person: Person, more: { isDefault: boolean; isInboundEnabled: boolean }) {
  return (await assigned(organizationsClient(product, tenants.admin), person, more)).phoneNumber;
}

test('The default number of the user is `to` of inbound calls and `from` of outbound ones, and determines the provider', async () => {
  const person = await product.newColleague(tenants.admin);
  await assign(person, { isDefault: false, isInboundEnabled: true });
  const number = await assign(person, { isDefault: true, isInboundEnabled: true });
  const own = callsClient(product, person);
  const inbound = await own.answered();
  const outbound = await own.dialed({ phoneNumber: newPhoneNumber() });
  expect(inbound).toMatchObject({ provider: 'twilio', to: number, providerPhoneNumber: number });
  expect(outbound).toMatchObject({ provider: 'twilio', from: number, providerPhoneNumber: number });
  expect(inbound.providerCallId).toBe(inbound._id);
});

test('The default number of the user is not said to be called when it takes no inbound calls', async () => {
  const person = await product.newColleague(tenants.admin);
  const number = await assign(person, { isDefault: true, isInboundEnabled: false });
  const own = callsClient(product, person);
  const call = await own.answered();
  expect(call.provider).toBe('twilio');
  expect(call).not.toHaveProperty('to');
  expect(call).not.toHaveProperty('providerPhoneNumber');
  expect(await own.dialed({ phoneNumber: newPhoneNumber() })).toMatchObject({ from: number });
});

test('A SUPERADMIN who acts in another organization calls for it, and owns nothing of what comes of it', async () => {
  const headers = { 'x-organization-id': tenants.admin.organizationId };
  const call = await callsClient(product, superadmin, headers).answered();
  expect(call).toMatchObject({ organizationId: tenants.admin.organizationId, userId: superadmin.userId });
  expect((await contacts.read(call.contactId)).body.data.owner).toBeNull();
  expect(await readVoiceConversations(tenants, call.contactId)).toMatchObject([{ userId: null }]);
});

test('Without an active Contact pipeline an unknown number becomes a contact in the first stage of the oldest', async () => {
  const admin = await product.newOrganization();
  const pipelines = pipelinesClient(product, admin);
  await pipelines.created({ name: 'Newer', stages: ['Elsewhere'] });
  const oldest = await pipelines.deactivate('Contact');
  const own = callsClient(product, admin);
  for (const { contactId } of [await own.answered(), await own.dialed({ phoneNumber: newPhoneNumber() })]) {
    expect((await contactsClient(product, admin).read(contactId)).body.data).toMatchObject({
      pipelineId: oldest._id,
      stage: 'New',
    });
  }
});

test('Without any Contact pipeline an unknown number is a 404 that says what to do; a known one is called as ever', async () => {
  const admin = await product.newOrganization();
  const own = callsClient(product, admin);
  const known = await own.answered();
  await loseContactPipelines(product, admin);
  expect(outcome(await own.answer(newPhoneNumber()))).toEqual(
    callFailure(404, 'There is no Contact pipeline for a new contact to enter. Create one.'),
  );
  expect((await own.answered(known.from ?? '')).contactId).toBe(known.contactId);
});

test('An unknown caller enters the first stage by the name it has now', async () => {
  const admin = await product.newOrganization();
  const [calls, pipelines] = [callsClient(product, admin), pipelinesClient(product, admin)];
  const [pipeline] = await pipelines.list('Contact');
  const [first, ...others] = pipeline?.stages ?? [];
  const stages = [{ _id: first?._id, name: 'Entrance' }, ...others];
  expectStatus(await pipelines.update(pipeline?._id ?? '', { stages }), 200);
  const { contactId } = await calls.answered(newPhoneNumber());
  const created = (await readEvents(product, admin.organizationId)).filter(
    ({ event, data }) => event === 'contact_created' && data.contactId === contactId,
  );
  expect(created).toMatchObject([{ data: { contact: { stage: 'Entrance' } } }]);
  expect((await contactsClient(product, admin).board()).Entrance?.total).toBe(1);
});
