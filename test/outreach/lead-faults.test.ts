import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  conflict,
  type Fault,
  type FaultyTable,
  faultyTable,
  replyLost,
  timedOut,
} from '../contacts/faulty-table.ts';
import { type Product, startProduct } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';
import { leadSource, newLead } from './lead-source.ts';
import { metricsDesk } from './metrics-desk.ts';

let product: Product;
let faults: FaultyTable;
beforeAll(async () => {
  product = await startProduct();
  faults = faultyTable();
});
afterAll(async () => {
  faults.restore();
  await product.stop();
});

async function newPlace() {
  const admin = await product.newOrganization();
  const source = leadSource(product, admin);
  const { _id } = await source.configure({ createApplication: true });
  return { ...source, ...metricsDesk(product, admin), configurationId: _id };
}

describe('A lead', () => {
  it.each([
    ['the reply to its transaction is lost', [replyLost]],
    ['other transactions are in the way', [conflict, conflict, conflict]],
    ['the table does not answer at first', [timedOut]],
  ])('of somebody new is stored and counted once when %s', async (_, met) => {
    const place = await newPlace();
    const lead = newLead();
    faults.next('TransactWriteItemsCommand', ...met);
    const { body } = await place.send(place.configurationId, lead);
    faults.clear();
    expect(body.message).toBe('Lead received: new contact');
    expect(await place.sent(place.configurationId, lead)).toEqual(body.data);
    expect((await place.metrics()).totals).toEqual({
      leads: 2,
      newContacts: 1,
      duplicates: 1,
      applications: 1,
    });
  });

  it.each([
    ['the reply to its transaction is lost', [replyLost]],
    ['other transactions are in the way', [conflict, conflict, conflict]],
    ['the table does not answer at first', [timedOut]],
  ])('that says nothing new is counted once when %s', async (_, met) => {
    const place = await newPlace();
    const lead = newLead();
    const first = await place.sent(place.configurationId, lead);
    faults.next('TransactWriteItemsCommand', ...met);
    expect(await place.sent(place.configurationId, lead)).toEqual(first);
    faults.clear();
    expect((await place.metrics()).totals).toMatchObject({ leads: 2, duplicates: 1 });
  });

  it('that says nothing new is counted once when the reply is lost and others are counted before it is asked for again', async () => {
    const place = await newPlace();
    const lead = newLead();
    const { configurationId } = place;
    const first = await place.sent(configurationId, lead);
    const overtaken: Fault = async (next) => {
      await next();
      await place.sent(configurationId, lead);
      return timedOut(next);
    };
    faults.next('TransactWriteItemsCommand', overtaken);
    expect(await place.sent(configurationId, lead)).toEqual(first);
    faults.clear();
    expect((await place.metrics()).totals).toMatchObject({ leads: 3, duplicates: 2 });
  });

  it('is 503 with Retry-After while the table is out of reach, and received when it is sent again', async () => {
    const place = await newPlace();
    const lead = newLead();
    faults.always('TransactWriteItemsCommand', timedOut);
    const { status, headers, body } = await place.send(place.configurationId, lead);
    faults.clear();
    expect({ status, body }).toEqual({
      status: 503,
      body: { success: false, message: 'The service is busy. Try again shortly.' },
    });
    expect(headers['retry-after']).toBe('1');
    expectStatus(await place.send(place.configurationId, lead), 200);
    expect((await place.metrics()).totals).toMatchObject({ leads: 1, newContacts: 1 });
  });

  it('takes two round trips to the table of somebody new, three of somebody known, one more for the first of a process', async () => {
    const place = await newPlace();
    const trips = async (lead: Record<string, unknown>) =>
      (await place.send(place.configurationId, lead)).consumed?.roundTrips;
    expect(await trips(newLead())).toBe(3);
    const lead = newLead();
    expect(await trips(lead)).toBe(2);
    expect(await trips(lead)).toBe(3);
    expect(await trips({ ...lead, city: 'Paris' })).toBe(3);
  });
});
