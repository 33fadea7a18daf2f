import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { dayInZone, leadCounterKeyFor, oneMoreLead } from '../../functions/outreach/model/lead-counting.ts';
import { after as later, minute, second } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, outcome } from '../harness/tenants.ts';
import { leadsClient } from './leads-client.ts';
import { type MetricsClient, metricsClient } from './metrics-client.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;
const leads = leadsClient(product, tenants.admin);
const configurationId: string = (await leads.configure({ ownerId: rep.userId }))._id;
const arrive: () => Promise<void> = async () => void (await leads.sent(configurationId, {}, { at: now }));

/** Somebody new who sees all leads, with nothing cached. */
async function newMetricsClient(): Promise<MetricsClient> {
  const admin = await product.newColleague(tenants.admin, 'ADMIN');
  return metricsClient(product, admin, { at: now });
}

/** Whoever asks asks now, unless stated; a quarter of an hour ago where a day begins in between, which is another question. */
const started = new Date();
const isLate = dayInZone(started, 'UTC') !== dayInZone(later(started, 10 * minute), 'UTC');
const now = isLate ? later(started, -15 * minute) : started;

test('Outreach metrics are cached for 5 minutes: the same after 4:59, computed anew after 5:01', async () => {
  const metrics = await newMetricsClient();
  const first = await metrics.metrics({}, { at: now });
  expect(first).toMatchObject({ cached: false, computedAt: now.toISOString() });
  await arrive();
  const inTime = { at: later(now, 5 * minute - second) };
  expect(await metrics.metrics({}, inTime)).toEqual({ ...first, cached: true });
  const tooLate = later(now, 5 * minute + second);
  expect(await metrics.metrics({}, { at: tooLate })).toMatchObject({
    cached: false,
    computedAt: tooLate.toISOString(),
    totals: { leads: first.totals.leads + 1 },
  });
});

test('Outreach metrics too large for one item of the table are computed each time', async () => {
  const admin = await product.newOrganization();
  const { table } = product.tableOf(admin.organizationId);
  const day = dayInZone(now, 'UTC');
  const hangul = () => String.fromCodePoint(0xac00 + randomInt(11_172));
  const sources = Array.from({ length: 1_500 }, () => Array.from({ length: 200 }, hangul).join(''));
  for (let first = 0; first < sources.length; first += 100) {
    const actions = sources.slice(first, first + 100).map((source) => {
      const group = { day, configurationId, ownerId: null, source };
      return table.updateAction(
        leadCounterKeyFor(group, 0),
        oneMoreLead(group, { isNew: true, applications: 0 }),
      );
    });
    await table.commit(actions);
  }
  const metrics = metricsClient(product, admin, { at: now });
  for (const _ of ['first', 'second']) {
    const { cached, totals, bySource } = await metrics.metrics();
    expect({ cached, leads: totals.leads, sources: bySource.length }).toEqual({
      cached: false,
      leads: 1_500,
      sources: 1_500,
    });
  }
});

test('Outreach metrics are cached by query, whatever its spelling', async () => {
  const metrics = await newMetricsClient();
  const today = now.toISOString().slice(0, 10);
  const range = { startDate: '2026-03-01', endDate: '2026-03-05' };
  const queries = [{}, { configurationId }, { source: 'Radio' }, { source: '' }, range];
  for (const query of queries) {
    expect((await metrics.metrics(query)).cached, JSON.stringify(query)).toBe(false);
  }
  for (const query of [
    ...queries,
    { endDate: now.toISOString() },
    { ...range, endDate: '2026-03-05T23:59:59Z' },
    { source: ' Radio ', endDate: today },
  ]) {
    expect((await metrics.metrics(query)).cached, JSON.stringify(query)).toBe(true);
  }
  expect((await metrics.metrics({ ...range, configurationId })).cached).toBe(false);
});

test('Outreach metrics of before a change of role or department are not shown after it', async () => {
  const { product, admin, rep } = tenants;
  const person = await product.newColleague(admin, 'ADMIN');
  await arrive();
  expect((await metricsClient(product, person).metrics()).totals.leads).toBeGreaterThan(0);
  const become = async (body: Record<string, unknown>) => {
    const path = { id: person.userId };
    expectStatus(await product.call('update-user', { token: admin.token, path, body }), 200);
    const signedIn = await product.call('login', {
      body: { email: person.email, password: 'correct horse battery' },
    });
    return metricsClient(product, { ...person, token: expectStatus(signedIn, 200).token });
  };
  const asRep = await become({ accessRole: 'SALES_REP' });
  expect(await asRep.metrics()).toMatchObject({ cached: false, totals: { leads: 0 } });
  const asHead = await become({ accessRole: 'DEPARTMENT_HEAD' });
  expect(await asHead.metrics()).toMatchObject({ cached: true, totals: { leads: 0 } });
  const { data } = expectStatus(
    await product.call('read-user', { token: admin.token, path: { id: rep.userId } }),
    200,
  );
  const asTheirs = await become({ departmentIds: data.departmentIds });
  const { cached, totals } = await asTheirs.metrics();
  expect(cached).toBe(false);
  expect(totals.leads).toBeGreaterThan(0);
});

test('POST /api/outreach-metrics/clear-cache returns {success: true, message}, and every GET of the caller, and of nobody else, computes anew', async () => {
  const [metrics, other] = [await newMetricsClient(), await newMetricsClient()];
  const { totals } = await metrics.metrics();
  expect((await other.metrics()).cached).toBe(false);
  const variants = Array.from({ length: 12 }, (_, index) => ({ source: `Source ${index}` }));
  for (const query of variants) {
    await metrics.metrics(query);
  }
  await arrive();
  expect(outcome(await metrics.clear())).toEqual({
    status: 200,
    body: { success: true, message: 'Outreach metrics cache cleared' },
  });
  expect(await metrics.metrics()).toMatchObject({ cached: false, totals: { leads: totals.leads + 1 } });
  for (const query of variants) {
    expect((await metrics.metrics(query)).cached).toBe(false);
  }
  expect((await metrics.metrics()).cached).toBe(true);
  expect((await other.metrics()).cached).toBe(true);
  await metrics.clear();
  expect((await metrics.metrics()).cached).toBe(false);
});

test('POST /api/outreach-metrics/clear-cache clears every variant of the caller, of whichever organization: “keyed under the caller’s user id”', async () => {
  const { product, superadmin, admin, foreignAdmin } = tenants;
  const metrics = metricsClient(product, superadmin);
  const scopes = [
    {},
    ...[admin, foreignAdmin].map((person) => ({ 'x-organization-id': person.organizationId })),
  ];
  for (const clearing of scopes) {
    for (const headers of scopes) {
      await metrics.metrics({}, { headers });
      expect((await metrics.metrics({}, { headers })).cached).toBe(true);
    }
    expect((await metrics.clear({ headers: clearing })).status).toBe(200);
    for (const headers of scopes) {
      expect((await metrics.metrics({}, { headers })).cached).toBe(false);
    }
  }
});
