import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { counterOf, dayOf, oneMoreLead } from '../../functions/outreach/model/lead-counting.ts';
import { after as later, minute, second, timestamp } from '../../shared/kernel/time.ts';
import { expectStatus, startWorld, type World } from '../harness/world.ts';
import { leadSource } from './lead-source.ts';
import { type MetricsDesk, metricsDesk } from './metrics-desk.ts';

let world: World;
let configurationId: string;
let arrive: () => Promise<void>;
beforeAll(async () => {
  world = await startWorld();
  const source = leadSource(world.product, world.admin);
  configurationId = (await source.configure({ ownerId: world.rep.userId }))._id;
  arrive = async () => void (await source.sent(configurationId, {}, { at: now }));
});
afterAll(() => world.product.stop());

/** Somebody new who sees all leads, with nothing cached. */
async function newAdmin(): Promise<MetricsDesk> {
  const admin = await world.product.newColleague(world.admin, 'ADMIN');
  return metricsDesk(world.product, admin, { at: now });
}

/** Whoever asks asks now, unless stated; a quarter of an hour ago where a day begins in between, which is another question. */
const started = new Date();
const isLate = dayOf(timestamp(started)) !== dayOf(timestamp(later(started, 10 * minute)));
const now = isLate ? later(started, -15 * minute) : started;

describe('Outreach metrics', () => {
  it('are cached for 5 minutes: the same after 4:59, computed anew after 5:01', async () => {
    const desk = await newAdmin();
    const first = await desk.metrics({}, { at: now });
    expect(first).toMatchObject({ cached: false, computedAt: now.toISOString() });
    await arrive();
    const inTime = { at: later(now, 5 * minute - second) };
    expect(await desk.metrics({}, inTime)).toEqual({ ...first, cached: true });
    const tooLate = later(now, 5 * minute + second);
    const anew = await desk.metrics({}, { at: tooLate });
    expect(anew).toMatchObject({
      cached: false,
      computedAt: tooLate.toISOString(),
      totals: { leads: first.totals.leads + 1 },
    });
  });

  it('too large for one item of the table are computed each time', async () => {
    const admin = await world.product.newOrganization();
    const { table } = world.product.tableOf(admin.organizationId);
    const day = dayOf(timestamp(now));
    const hangul = () => String.fromCodePoint(0xac00 + randomInt(11_172));
    const sources = Array.from({ length: 1_500 }, () => Array.from({ length: 200 }, hangul).join(''));
    for (let first = 0; first < sources.length; first += 100) {
      const steps = sources.slice(first, first + 100).map((source) => {
        const group = { day, configurationId, ownerId: null, source };
        return table.updateStep(counterOf(group, 0), oneMoreLead(group, { isNew: true, applications: 0 }));
      });
      await table.commit(steps);
    }
    const desk = metricsDesk(world.product, admin, { at: now });
    for (const _ of ['first', 'second']) {
      const { cached, totals, bySource } = await desk.metrics();
      expect({ cached, leads: totals.leads, sources: bySource.length }).toEqual({
        cached: false,
        leads: 1_500,
        sources: 1_500,
      });
    }
  });

  it('are cached for the one who asked', async () => {
    const [one, other] = [await newAdmin(), await newAdmin()];
    await one.metrics();
    expect((await other.metrics()).cached).toBe(false);
    expect((await one.metrics()).cached).toBe(true);
  });

  it('are cached by query, whatever its spelling', async () => {
    const desk = await newAdmin();
    const today = now.toISOString().slice(0, 10);
    const range = { startDate: '2026-03-01', endDate: '2026-03-05' };
    const queries = [{}, { configurationId }, { source: 'Radio' }, { source: '' }, range];
    for (const query of queries) {
      expect((await desk.metrics(query)).cached, JSON.stringify(query)).toBe(false);
    }
    for (const query of [
      ...queries,
      { endDate: now.toISOString() },
      { ...range, endDate: '2026-03-05T23:59:59Z' },
      { source: ' Radio ', endDate: today },
    ]) {
      expect((await desk.metrics(query)).cached, JSON.stringify(query)).toBe(true);
    }
    expect((await desk.metrics({ ...range, configurationId })).cached).toBe(false);
  });

  it('cost one request to the table while they are cached', async () => {
    const desk = await newAdmin();
    expect((await desk.ask()).consumed?.roundTrips).toBe(3);
    expect((await desk.ask()).consumed).toMatchObject({ requests: 1, roundTrips: 1, writeUnits: 0 });
  });

  it('of before a change of role or department are not shown after it', async () => {
    const { product, admin, rep } = world;
    const person = await product.newColleague(admin, 'ADMIN');
    await arrive();
    expect((await metricsDesk(product, person).metrics()).totals.leads).toBeGreaterThan(0);
    const become = async (body: Record<string, unknown>) => {
      const path = { id: person.userId };
      expectStatus(await product.call('update-user', { token: admin.token, path, body }), 200);
      const signedIn = await product.call('login', {
        body: { email: person.email, password: 'correct horse battery' },
      });
      return metricsDesk(product, { ...person, token: expectStatus(signedIn, 200).token });
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
});

describe('POST /api/outreach-metrics/clear-cache', () => {
  it('answers {success: true, message}, and the next GET computes anew', async () => {
    const desk = await newAdmin();
    const { totals } = await desk.metrics();
    await arrive();
    const { status, body } = await desk.clear();
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, message: 'Outreach metrics cache cleared' });
    expect(await desk.metrics()).toMatchObject({ cached: false, totals: { leads: totals.leads + 1 } });
    expect((await desk.metrics()).cached).toBe(true);
  });

  it('is one write, however many variants there are, and ends all of them', async () => {
    const desk = await newAdmin();
    const variants = Array.from({ length: 12 }, (_, index) => ({ source: `Source ${index}` }));
    for (const query of variants) {
      await desk.metrics(query);
    }
    expect((await desk.clear()).consumed).toMatchObject({ requests: 1, writeUnits: 1, readUnits: 0 });
    for (const query of variants) {
      expect((await desk.metrics(query)).cached).toBe(false);
    }
  });

  it('may be repeated, each time anew', async () => {
    const desk = await newAdmin();
    for (let count = 0; count < 3; count += 1) {
      expect((await desk.clear()).status).toBe(200);
      expect((await desk.metrics()).cached).toBe(false);
    }
  });

  it('clears the caller’s own variants only', async () => {
    const [one, other] = [await newAdmin(), await newAdmin()];
    await one.metrics();
    await other.metrics();
    await one.clear();
    expect((await one.metrics()).cached).toBe(false);
    expect((await other.metrics()).cached).toBe(true);
  });

  it('clears every variant of the caller, of whichever organization: “keyed under the caller’s user id”', async () => {
    const { product, superadmin, admin, foreigner } = world;
    const desk = metricsDesk(product, superadmin);
    const places = [{}, ...[admin, foreigner].map((one) => ({ 'x-organization-id': one.organizationId }))];
    for (const clearing of places) {
      for (const headers of places) {
        await desk.metrics({}, { headers });
        expect((await desk.metrics({}, { headers })).cached).toBe(true);
      }
      expect((await desk.clear({ headers: clearing })).status).toBe(200);
      for (const headers of places) {
        expect((await desk.metrics({}, { headers })).cached).toBe(false);
      }
    }
  });

  it('is for any signed-in user', async () => {
    for (const person of [world.rep, world.head, world.admin]) {
      expect((await metricsDesk(world.product, person).clear()).status).toBe(200);
    }
  });
});
