import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { after, minute, second } from '../../shared/kernel/time.ts';
import { type Fault, timedOut } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { newManualWorkflow, runsClient } from './runs-client.ts';

const tenants = await setUpTenants();
const { product, rep, newContact } = tenants;
const faults = setUpFaultyTable();
afterEach(() => faults.clear());

const count = 30;

/** Runs that start at the same time. */
const width = 10;

test.each([1, 5, 17])(
  'A process that ends after %i of 30 runs started no run twice once the request is sent again with its key',
  async (passing) => {
    const { _id: workflowId } = await newManualWorkflow(tenants, { settings: { reentry: 'always' } });
    const contactIds = (await Promise.all(Array.from({ length: count }, () => newContact()))).map(
      ({ _id }) => _id as string,
    );
    const start = new Date();
    const headers = { 'idempotency-key': randomUUID() };
    const run = (at: Date) =>
      product.call('run-workflow', {
        ...{ token: rep.token, at, headers },
        path: { id: workflowId },
        body: { contactIds },
      });
    let hanging = 0;
    let reached = () => {};
    const ended = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const pass: Fault = (next) => next();
    faults.next('TransactWriteItemsCommand', ...Array.from({ length: passing }, () => pass));
    // The process is gone: nothing that it sends from here on arrives, and nothing is heard of it.
    faults.always('TransactWriteItemsCommand', () => {
      hanging += 1;
      if (hanging === width) {
        reached();
      }
      return new Promise(() => {});
    });
    void run(start);
    await ended;
    faults.clear();

    const before = await runsClient(product, rep).everyOfWorkflow(workflowId);
    expect(before.length).toBe(passing);
    const running = await run(after(start, 10 * second));
    expect([running.status, running.headers['retry-after']]).toEqual([409, '1']);
    const again = expectStatus(await run(after(start, 12 * second)), 201);
    expect(again.data.runs.map(({ contactId }: { contactId: string }) => contactId)).toEqual(contactIds);
    const all = await runsClient(product, rep).everyOfWorkflow(workflowId);
    expect(all.map(({ contactId }) => contactId).sort()).toEqual([...contactIds].sort());
    const repeated = await run(after(start, 2 * minute));
    expect([repeated.status, repeated.headers['idempotent-replayed']]).toEqual([201, 'true']);
  },
);

test('A request whose response could not be stored started no run twice once it is sent again with its key', async () => {
  const { _id: workflowId } = await newManualWorkflow(tenants, { settings: { reentry: 'always' } });
  const contactIds = (await Promise.all(Array.from({ length: 6 }, () => newContact()))).map(
    ({ _id }) => _id as string,
  );
  const headers = { 'idempotency-key': randomUUID() };
  const run = () =>
    product.call('run-workflow', {
      ...{ token: rep.token, headers },
      path: { id: workflowId },
      body: { contactIds },
    });
  const storesAnswer: Fault = (next, input) =>
    JSON.stringify(input).includes(':answer') ? timedOut(next) : next();
  faults.always('UpdateItemCommand', storesAnswer);
  faults.always('TransactWriteItemsCommand', storesAnswer);
  expect((await run()).status).toBe(503);
  faults.clear();

  expect(expectStatus(await run(), 201).data.runs).toHaveLength(6);
  const all = await runsClient(product, rep).everyOfWorkflow(workflowId);
  expect(all.map(({ contactId }) => contactId).sort()).toEqual([...contactIds].sort());
});
