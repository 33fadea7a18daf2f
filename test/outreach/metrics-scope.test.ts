import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { leadsClient, newLead } from './leads-client.ts';
import { counts, daysAgo, metricsClient, newOutreachClient, nothing, now, onDay } from './metrics-client.ts';

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

test('300 random leads, 10 at a time are counted exactly, in every group and on every day', async () => {
  const outreach = await newOutreachClient(product);
  const sources = ['Radio', 'Website', null];
  const configurations = await Promise.all(
    [0, 1, 2, 3].map((index) =>
      outreach.configure({
        name: `Number ${index}`,
        source: sources[index % 3],
        createApplication: index % 2 === 0,
      }),
    ),
  );
  const people = Array.from({ length: 60 }, newLead);
  const below = (limit: number) => Math.floor(Math.random() * limit);
  const planned = Array.from({ length: 300 }, (_, index) => ({
    index,
    configuration: configurations[below(4)],
    person: people[below(60)],
    days: below(35),
  }));
  const got: { source: unknown; id: string; date: string; isNew: boolean; contactId: string }[] = [];
  for (let start = 0; start < planned.length; start += 10) {
    await Promise.all(
      planned.slice(start, start + 10).map(async ({ index, configuration, person, days }) => {
        const id = configuration?._id ?? '';
        const { body } = await outreach.send(id, { ...person, index }, onDay(days));
        const isNew = body.message === 'Lead received: new contact';
        got.push({ source: configuration?.source, id, date: daysAgo(days), isNew, ...body.data });
      }),
    );
  }
  const { totals, bySource, byConfiguration, byDay } = await outreach.metrics({ startDate: daysAgo(34) });
  const expected = (some: typeof got) => ({
    leads: some.length,
    newContacts: some.filter(({ isNew }) => isNew).length,
  });
  expect(totals).toMatchObject({ leads: 300, newContacts: new Set(planned.map((one) => one.person)).size });
  expect(totals).toMatchObject(expected(got));
  expect(totals.duplicates).toBe(300 - totals.newContacts);
  const applying = planned.filter(({ configuration }) =>
    [configurations[0], configurations[2]].includes(configuration),
  );
  expect(totals.applications).toBe(
    new Set(applying.map(({ configuration, person }) => `${configuration?._id} ${person?.phoneNumber}`)).size,
  );
  for (const { source, ...sum } of bySource) {
    expect(sum).toMatchObject(expected(got.filter((one) => one.source === source)));
  }
  for (const { configurationId, name: _, ...sum } of byConfiguration) {
    expect(sum).toMatchObject(expected(got.filter(({ id }) => id === configurationId)));
  }
  for (const { date, ...sum } of byDay) {
    expect(sum).toMatchObject(expected(got.filter((one) => one.date === date)));
  }
  for (const groups of [bySource, byConfiguration, byDay]) {
    for (const key of ['leads', 'newContacts', 'duplicates', 'applications'] as const) {
      expect(groups.reduce((sum, group) => sum + group[key], 0)).toBe(totals[key]);
    }
  }
});
