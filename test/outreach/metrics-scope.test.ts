import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { leadsClient, newLead } from './leads-client.ts';
import { counts, metricsClient, nothing, now } from './metrics-client.ts';

const { product, superadmin, admin, head, rep, otherRep, otherHead } = await setUpTenants();
const client = leadsClient(product, admin, now);

/** As computed now. */
async function totals(person: Person, more = {}) {
  const metrics = metricsClient(product, person, { ...now, ...more });
  await arrange(metrics.clear());
  return (await metrics.metrics()).totals;
}

test('The scope of outreach metrics is all leads for an ADMIN, those of their departments for a head, their own for a SALES_REP', async () => {
  const of = async (ownerId: string | null) => (await client.configure({ ownerId }))._id;
  const reps = await of(rep.userId);
  for (const id of [reps, reps, await of(head.userId), await of(otherRep.userId), await of(null)]) {
    await client.sent(id);
  }
  expect(await totals(admin)).toEqual(counts(5));
  expect(await totals(head)).toEqual(counts(3));
  expect(await totals(rep)).toEqual(counts(2));
  expect(await totals(otherRep)).toEqual(counts(1));
  expect(await totals(otherHead)).toEqual(nothing);
  expect(await totals(superadmin)).toEqual(nothing);
  const headers = { 'x-organization-id': admin.organizationId };
  expect(await totals(superadmin, { headers })).toEqual(counts(5));
  const { byConfiguration } = await metricsClient(product, rep, now).metrics();
  expect(byConfiguration.map(({ configurationId }) => configurationId)).toEqual([reps]);
});

test('The scope of outreach metrics goes by the owner that the contact had when the lead came', async () => {
  const leads = () => Promise.all([rep, otherRep].map(async (person) => (await totals(person)).leads));
  const before = await leads();
  const { _id } = await client.configure({ ownerId: rep.userId });
  const lead = newLead();
  const { contactId } = await client.sent(_id, lead);
  const body = { owner: otherRep.userId };
  const path = { id: contactId };
  expectStatus(await product.call('update-contact', { token: admin.token, path, body }), 200);
  await client.sent(_id, { ...lead, city: 'Paris' });
  expect(await leads()).toEqual(before.map((count) => count + 1));
});
