import { expect, test } from 'vitest';
import { conflict, type Fault, replyLost, timedOut } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { leadsClient, newLead } from './leads-client.ts';
import { metricsClient } from './metrics-client.ts';

const product = await setUpProduct();
const faults = setUpFaultyTable();

async function newLeadsClient() {
  const admin = await product.newOrganization();
  const leads = leadsClient(product, admin);
  const { _id } = await leads.configure({ createApplication: true });
  return { ...leads, ...metricsClient(product, admin), configurationId: _id };
}

const met: Record<string, Fault[]> = {
  'the reply to its transaction is lost': [replyLost],
  'other transactions are in the way': [conflict, conflict, conflict],
  'the table does not answer at first': [timedOut],
};

test.each(Object.keys(met))('A lead, new or not, is stored and counted once when %s', async (what) => {
  const leads = await newLeadsClient();
  const lead = newLead();
  faults.next('TransactWriteItemsCommand', ...(met[what] ?? []));
  const { body } = await leads.send(leads.configurationId, lead);
  expect(body.message).toBe('Lead received: new contact');
  expect(await leads.sent(leads.configurationId, lead)).toEqual(body.data);

  faults.next('TransactWriteItemsCommand', ...(met[what] ?? []));
  expect(await leads.sent(leads.configurationId, { ...lead, firstName: 'Grace' })).toEqual(body.data);
  faults.clear();
  expect((await leads.metrics()).totals).toEqual({
    leads: 2,
    newContacts: 1,
    duplicates: 1,
    applications: 1,
  });
});

test('A lead that says nothing new is counted once when the reply is lost and others are counted before it is asked for again', async () => {
  const leads = await newLeadsClient();
  const lead = newLead();
  const { configurationId } = leads;
  const first = await leads.sent(configurationId, lead);
  const overtaken: Fault = async (next) => {
    await next();
    await leads.sent(configurationId, { ...lead, firstName: 'Augusta' });
    return timedOut(next);
  };
  faults.next('TransactWriteItemsCommand', overtaken);
  expect(await leads.sent(configurationId, { ...lead, firstName: 'Grace' })).toEqual(first);
  faults.clear();
  expect((await leads.metrics()).totals).toMatchObject({ leads: 3, duplicates: 2 });
});
