import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, failure, outcome } from '../harness/tenants.ts';
import { leadsClient, newLead } from './leads-client.ts';
import { counts, daysAgo, metricsClient, newOutreachClient, nothing, now, onDay } from './metrics-client.ts';

const { product, superadmin, admin, head, rep, otherRep, otherHead } = await setUpTenants();

test('GET /api/outreach-metrics returns {success, data: {totals, bySource, byConfiguration, byDay, computedAt, cached}}', async () => {
  const outreach = await newOutreachClient(product);
  const { _id } = await outreach.configure({ name: 'Spring', source: 'Facebook', createApplication: true });
  const lead = newLead();
  await outreach.sent(_id, lead);
  await outreach.sent(_id, { ...lead, city: 'Paris' });
  await outreach.sent(_id);
  const { status, body } = await outreach.ask();
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['success', 'data']);
  expect(Object.keys(body.data)).toEqual([
    'totals',
    'bySource',
    'byConfiguration',
    'byDay',
    'computedAt',
    'cached',
  ]);
  const all = counts(3, 2, 2);
  expect(body.data).toMatchObject({
    totals: all,
    bySource: [{ source: 'Facebook', ...all }],
    byConfiguration: [{ configurationId: _id, name: 'Spring', ...all }],
    cached: false,
  });
  expect(body.data.computedAt).toBe(now.at.toISOString());
});

test('GET /api/outreach-metrics of nothing is zeros, one for each of the last 30 days', async () => {
  const { totals, bySource, byConfiguration, byDay } = await (await newOutreachClient(product)).metrics();
  expect({ totals, bySource, byConfiguration }).toEqual({
    totals: nothing,
    bySource: [],
    byConfiguration: [],
  });
  expect(byDay).toEqual(
    Array.from({ length: 30 }, (_, index) => ({ date: daysAgo(29 - index), ...nothing })),
  );
});

test('GET /api/outreach-metrics counts a lead on its day in UTC, both ends of the range inclusive, over months and years', async () => {
  const outreach = await newOutreachClient(product);
  const { _id } = await outreach.configure();
  for (const [days, time] of [
    [0, '00:00:00.000Z'],
    [1, '23:59:59.999Z'],
    [40, '12:00:00.000Z'],
    [365, '00:00:00.000Z'],
    [366, '23:59:59.999Z'],
  ] as const) {
    await outreach.sent(_id, {}, onDay(days, time));
  }
  const leads = async (query: Record<string, string>) => (await outreach.metrics(query)).totals.leads;
  expect(await leads({})).toBe(2);
  expect(await leads({ startDate: daysAgo(0), endDate: daysAgo(0) })).toBe(1);
  expect(await leads({ startDate: daysAgo(1), endDate: daysAgo(1) })).toBe(1);
  expect(await leads({ startDate: daysAgo(39) })).toBe(2);
  expect(await leads({ startDate: daysAgo(40) })).toBe(3);
  expect(await leads({ startDate: daysAgo(365) })).toBe(4);
  expect(await leads({ startDate: daysAgo(366), endDate: daysAgo(1) })).toBe(4);
  expect(await leads({ endDate: daysAgo(11) })).toBe(1);
  expect(await leads({ endDate: daysAgo(10) })).toBe(0);
  const { byDay } = await outreach.metrics({ startDate: daysAgo(366), endDate: daysAgo(1) });
  expect(byDay.filter((day) => day.leads > 0).map(({ date }) => date)).toEqual([
    daysAgo(366),
    daysAgo(365),
    daysAgo(40),
    daysAgo(1),
  ]);
});

test.each([
  [{ startDate: 'yesterday' }, 'startDate must be an ISO 8601 date or date-time'],
  [{ endDate: '2026-02-30' }, 'endDate must be an ISO 8601 date or date-time'],
  [
    { startDate: '2026-03-02', endDate: '2026-03-01' },
    'startDate must not be after endDate, which is today by default',
  ],
  [{ startDate: '9999-01-01' }, 'startDate must not be after endDate, which is today by default'],
  [{ startDate: '2025-01-01', endDate: '2026-01-02' }, 'startDate and endDate must span at most 366 days'],
  [
    { startDate: '1969-12-31', endDate: '1970-01-01' },
    'startDate and endDate must be in the years 1970 to 9999',
  ],
  [{ endDate: '0000-01-01T00:00+23:00' }, 'startDate and endDate must be in the years 1970 to 9999'],
  [{ endDate: '9999-12-31T23:59:59-23:00' }, 'startDate and endDate must be in the years 1970 to 9999'],
  [{ source: 'x'.repeat(201) }, 'source must have at most 200 characters'],
])('GET /api/outreach-metrics with %j is 400 {success: false, message}', async (query, message) => {
  expect(outcome(await metricsClient(product, admin, now).ask(query))).toEqual(failure(400, message));
});

test('GET /api/outreach-metrics takes 366 days, the whole of a leap year', async () => {
  const query = { startDate: '2024-01-01', endDate: '2024-12-31' };
  const { byDay } = await metricsClient(product, admin, now).metrics(query);
  expect(byDay).toHaveLength(366);
  expect(byDay.map(({ date }) => date)).toContain('2024-02-29');
});

test('GET /api/outreach-metrics is cut to a configuration, to a source, to leads without a source', async () => {
  const outreach = await newOutreachClient(product);
  const radio = await outreach.configure({ name: 'Radio', source: 'Radio #1' });
  const web = await outreach.configure({ name: 'Web', source: 'Website' });
  const none = await outreach.configure({ name: 'None' });
  for (const { _id } of [radio, radio, web, web, web, none]) {
    await outreach.sent(_id);
  }
  const totals = async (query: Record<string, string>) => (await outreach.metrics(query)).totals;
  expect(await totals({ configurationId: radio._id })).toEqual(counts(2));
  expect(await totals({ source: 'Website' })).toEqual(counts(3));
  expect(await totals({ source: '' })).toEqual(counts(1));
  expect(await totals({ source: 'Radio #1', configurationId: web._id })).toEqual(nothing);
  expect(await totals({ configurationId: 'unknown' })).toEqual(nothing);
  const { bySource, byConfiguration } = await outreach.metrics();
  expect(bySource.map(({ source, leads }) => [source, leads])).toEqual([
    ['Website', 3],
    ['Radio #1', 2],
    [null, 1],
  ]);
  expect(byConfiguration.map(({ name, leads }) => [name, leads])).toEqual([
    ['Web', 3],
    ['Radio', 2],
    ['None', 1],
  ]);
});

test('GET /api/outreach-metrics keeps what was: a source that changed, a configuration that was deleted', async () => {
  const outreach = await newOutreachClient(product);
  const { _id } = await outreach.configure({ name: 'Fair', source: 'Fair 2025' });
  await outreach.sent(_id);
  expectStatus(await outreach.change(_id, { name: 'New fair', source: 'Fair 2026' }), 200);
  await outreach.sent(_id);
  const { bySource, byConfiguration } = await outreach.metrics();
  expect(bySource.map(({ source, leads }) => [source, leads])).toEqual([
    ['Fair 2025', 1],
    ['Fair 2026', 1],
  ]);
  expect(byConfiguration).toEqual([{ configurationId: _id, name: 'New fair', ...counts(2) }]);
  const { token } = outreach.admin;
  expectStatus(await product.call('delete-outreach-configuration', { token, path: { id: _id } }), 200);
  expectStatus(await outreach.clear(), 200);
  expect((await outreach.metrics()).byConfiguration).toEqual([
    { configurationId: _id, name: null, ...counts(2) },
  ]);
});

test('GET /api/outreach-metrics does not count leads that were refused or repeated', async () => {
  const outreach = await newOutreachClient(product);
  const off = await outreach.configure({ isActive: false });
  const signed = await outreach.configure({ secret: true });
  const on = await outreach.configure();
  await outreach.send(off._id);
  await outreach.send(signed._id);
  await outreach.send(on._id, { phoneNumber: 'none', firstName: '', lastName: '' });
  expect((await outreach.metrics()).totals).toEqual(nothing);
  const lead = newLead();
  for (let time = 0; time < 3; time += 1) {
    await outreach.sent(on._id, lead);
  }
  await outreach.clear();
  expect((await outreach.metrics()).totals).toEqual(counts(1));
});

test('GET /api/outreach-metrics counts sources that differ in case alone as one, as it was spelled first', async () => {
  const outreach = await newOutreachClient(product);
  const spellings = ['Straße', 'STRASSE', 'straße', 'Cafe\u0301', 'CAFÉ', 'Cafe', null];
  for (const [index, source] of spellings.entries()) {
    const { _id } = await outreach.configure({ name: `${index}`, source });
    await outreach.sent(_id, {}, onDay(spellings.length - index));
  }
  const { bySource } = await outreach.metrics();
  expect(bySource.map(({ source, leads }) => [source?.normalize('NFC') ?? null, leads])).toEqual([
    ['Straße', 3],
    ['Café', 2],
    [null, 1],
    ['Cafe', 1],
  ]);
  for (const [source, leads] of [
    ['sTRASSE', 3],
    ['café', 2],
    ['CAFE', 1],
    ['cafés', 0],
    ['', 1],
  ] as const) {
    expect((await outreach.metrics({ source })).totals.leads).toBe(leads);
  }
});

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
