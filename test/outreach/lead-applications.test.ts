import { expect, test } from 'vitest';
import { applicationsClient } from '../applications/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { leadsClient, newLead } from './leads-client.ts';

const { product, admin, rep, otherRep } = await setUpTenants();
const leads = leadsClient(product, admin);
const configuration = await leads.configure({
  name: 'Trade account',
  ownerId: rep.userId,
  createApplication: true,
});

const application = (id: string | null, person = admin) =>
  applicationsClient(product, person).read(id ?? '-');

test('The application of a lead is made when the configuration says so: by its maker, of its name, in the first stage', async () => {
  const { contactId, applicationId } = await leads.sent(configuration._id);
  expect(expectStatus(await application(applicationId), 200).data).toMatchObject({
    _id: applicationId,
    contactId,
    userId: admin.userId,
    name: 'Trade account',
    stage: 'Submitted',
    customFields: {},
  });
  expect((await application(applicationId, rep)).status).toBe(200);
  expect((await application(applicationId, otherRep)).status).toBe(404);
});

test('The application of a lead is emitted after its contact', async () => {
  const { contactId, applicationId } = await leads.sent(configuration._id);
  const events = await readEvents(product, admin.organizationId);
  expect(
    events
      .filter(({ data }) => data.contactId === contactId)
      .map(({ event, data }) => [event, data.applicationId]),
  ).toEqual([
    ['contact_created', undefined],
    ['contact_updated', applicationId],
    ['lead_received', undefined],
  ]);
});

test('The application of a lead is one for each contact and configuration', async () => {
  const lead = newLead();
  const first = await leads.sent(configuration._id, lead);
  expect(await leads.sent(configuration._id, { ...lead, city: 'Paris' })).toEqual(first);
  const other = await leads.configure({ name: 'Newsletter', createApplication: true });
  const second = await leads.sent(other._id, lead);
  expect(second).toEqual({ ...first, applicationId: expect.any(String) });
  expect(second.applicationId).not.toBe(first.applicationId);
});

test('The application of a lead is null when the configuration makes none, even where it once did', async () => {
  const lead = newLead();
  const own = await leads.configure({ createApplication: true });
  const { contactId, applicationId } = await leads.sent(own._id, lead);
  expect(applicationId).toEqual(expect.any(String));
  expectStatus(await leads.change(own._id, { createApplication: false }), 200);
  expect(await leads.sent(own._id, { ...lead, city: 'Paris' })).toMatchObject({
    contactId,
    applicationId: null,
  });
  expectStatus(await leads.change(own._id, { createApplication: true }), 200);
  expect(await leads.sent(own._id, { ...lead, city: 'Rome' })).toMatchObject({ contactId, applicationId });
});

test('The application of a lead is null for a contact that has its 5 applications already; the lead is received', async () => {
  const lead = newLead();
  const open = await leads.configure();
  const { contactId } = await leads.sent(open._id, lead);
  for (let count = 0; count < 25; count += 1) {
    await applicationsClient(product, admin).created({ contactId, name: `Number ${count}` });
  }
  const ids = await leads.sent(configuration._id, { ...lead, city: 'Paris' });
  expect(ids).toMatchObject({ contactId, applicationId: null });
  expect((await leads.contact(contactId)).customFields).toEqual({ city: 'Paris' });
});

test('The application of a lead is null without an active Application pipeline; the lead is received', async () => {
  const other = await product.newOrganization();
  const own = leadsClient(product, other);
  await pipelinesClient(product, other).deactivate('Application');
  const { _id } = await own.configure({ createApplication: true });
  const { contactId, applicationId } = await own.sent(_id);
  expect(applicationId).toBeNull();
  expect(await own.contact(contactId)).toMatchObject({ fullName: 'Ada Lovelace' });
});

test('The application of a lead is made anew after it was deleted', async () => {
  const lead = newLead();
  const { applicationId } = await leads.sent(configuration._id, lead);
  expectStatus(await applicationsClient(product, admin).remove(applicationId ?? '-'), 200);
  const again = await leads.sent(configuration._id, { ...lead, city: 'Paris' });
  expect(again.applicationId).toEqual(expect.any(String));
  expect(again.applicationId).not.toBe(applicationId);
});
