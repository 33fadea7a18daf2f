import { beforeAll, expect, test } from 'vitest';
import { runKey, stepRecordKey } from '../../functions/workflows/model/runs/run.ts';
import { readRunsOfWorkflow } from '../../functions/workflows/model/runs/run-page.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import { after, minute } from '../../shared/kernel/time.ts';
import { runEntryKey } from '../../shared/workflows/run-lists.ts';
import { runStatuses } from '../../shared/workflows/run-statuses.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, outcome } from '../harness/tenants.ts';
import { newWorkflow } from './client.ts';
import { newRun, runsClient, writeRuns } from './runs-client.ts';

const tenants = await setUpTenants();
const { product, admin, head, rep, otherRep, otherHead, newContact } = tenants;
const { organizationId } = admin;

const start = new Date('2026-11-20T09:00:00.000Z');
const ago = (minutes: number) => after(start, -minutes * minute);

let workflowId = '';
let contactId = '';
/** Two runs of each status, the oldest first. */
let ids: string[] = [];
beforeAll(async () => {
  [{ _id: workflowId }, { _id: contactId }] = await Promise.all([newWorkflow(tenants), newContact()]);
  const statuses = [...runStatuses, ...runStatuses];
  const written = statuses.map((status, index) => ({
    ...{ workflowId, contactId, userId: rep.userId, status, startedAt: ago(statuses.length - index) },
  }));
  ids = (await writeRuns(product, organizationId, written)).map(({ _id }) => _id);
});

const idsOf = (runs: readonly { readonly _id: string }[]) => runs.map(({ _id }) => _id);

test('A run says what it did, step by step, and names what it made', async () => {
  const at = '2026-11-20T08:00:00.000Z';
  const until = '2026-11-23T08:00:00.000Z';
  const run = await newRun(tenants, {
    ...{ status: 'failed', reason: 'The contact has opted out of text messages.', startedAt: start },
    stepRecords: [
      { n: 1, nodeId: 'trigger', type: 'trigger', status: 'passed', at },
      { n: 2, nodeId: 'is-new', type: 'condition', status: 'passed', way: 'true', at },
      { n: 3, nodeId: 'note', type: 'addNote', status: 'passed', resultIds: { noteId: 'N1' }, at },
      { n: 4, nodeId: 'pause', type: 'delay', status: 'waiting', until, at },
      { n: 5, nodeId: 'text', type: 'sendMessage', status: 'skipped', reason: 'opted_out', at },
    ],
  });
  expect(expectStatus(await runsClient(product, rep).read(run._id), 200)).toEqual({
    success: true,
    data: {
      ...{ _id: run._id, workflowId: run.workflowId, contactId: run.contactId, revision: 1 },
      ...{ status: 'failed', reason: 'The contact has opted out of text messages.' },
      steps: [
        { nodeId: 'trigger', type: 'trigger', status: 'passed', at },
        { nodeId: 'is-new', type: 'condition', status: 'passed', way: 'true', at },
        { nodeId: 'note', type: 'addNote', status: 'passed', noteId: 'N1', at },
        { nodeId: 'pause', type: 'delay', status: 'waiting', until, at },
        { nodeId: 'text', type: 'sendMessage', status: 'skipped', reason: 'opted_out', at },
      ],
      ...{ startedAt: '2026-11-20T09:00:00.000Z', finishedAt: '2026-11-20T09:01:00.000Z' },
    },
  });
});

test('Runs of a workflow come newest first, page by page, each as it is read alone', async () => {
  const client = runsClient(product, rep);
  for (const limit of ['1', '3', '100']) {
    expect(idsOf(await client.everyOfWorkflow(workflowId, { limit }))).toEqual(ids.toReversed());
    expect(idsOf(await client.everyOfContact(contactId, { limit }))).toEqual(ids.toReversed());
  }
  const [newest] = (await arrange(client.ofWorkflow(workflowId))).data;
  expect(newest).toEqual((await arrange(client.read(newest._id))).data);
  expect((await arrange(client.ofContact(contactId))).data[0]).toEqual(newest);
});

test.each(runStatuses)('Filtered by status, the lists show those that are %s', async (status) => {
  const client = runsClient(product, rep);
  const expected = ids.filter((_, index) => runStatuses[index % runStatuses.length] === status).reverse();
  expect(expected).toHaveLength(2);
  for (const limit of ['1', '25']) {
    expect(idsOf(await client.everyOfWorkflow(workflowId, { status, limit }))).toEqual(expected);
    expect(idsOf(await client.everyOfContact(contactId, { status, limit }))).toEqual(expected);
    const query = { status, limit, contactId };
    expect(idsOf(await client.everyOfWorkflow(workflowId, query))).toEqual(expected);
  }
});

test('Filtered by contact, a workflow shows only its own runs for that contact', async () => {
  const client = runsClient(product, rep);
  const { _id: other } = await newContact();
  const elsewhere = { workflowId: (await newWorkflow(tenants))._id, contactId, userId: rep.userId };
  await writeRuns(product, organizationId, [elsewhere]);
  const [own] = await writeRuns(product, organizationId, [{ ...elsewhere, contactId: other, workflowId }]);
  expect(idsOf(await client.everyOfWorkflow(workflowId, { contactId: other }))).toEqual([own?._id]);
  expect(idsOf(await client.everyOfWorkflow(workflowId, { contactId }))).toEqual(ids.toReversed());
  expect(await client.everyOfContact(contactId)).toHaveLength(ids.length + 1);
});

test('A page with the steps of very long runs ends early, and the next one goes on', async () => {
  const [{ _id: long }, { _id: person }] = await Promise.all([newWorkflow(tenants), newContact()]);
  const [first] = await writeRuns(product, organizationId, [
    { workflowId: long, contactId: person, userId: rep.userId },
  ]);
  // A run counts its steps; which of them are still there does not matter.
  const { table } = product.tableOf(organizationId);
  const stored = await table.read(runKey(first?._id ?? ''));
  if (stored === undefined) {
    throw new Error('The run is not there');
  }
  await table.commit([table.replace(stored, { ...stored.data, steps: 20_000 })]);
  await writeRuns(product, organizationId, [{ workflowId: long, contactId: person, userId: rep.userId }]);
  const client = runsClient(product, rep);
  for (const list of [client.ofWorkflow(long), client.ofContact(person)]) {
    const page = await arrange(list);
    expect([page.data.length, typeof page.nextCursor]).toEqual([1, 'string']);
  }
  expect(await client.everyOfWorkflow(long)).toHaveLength(2);
  expect(await client.everyOfContact(person)).toHaveLength(2);
});

test('Steps are read of those runs that a page has room for, and of these all of them', async () => {
  const [{ _id: workflow }, { _id: person }] = await Promise.all([newWorkflow(tenants), newContact()]);
  const { table } = product.tableOf(organizationId);
  const newRunOf = async (steps: number) => {
    const [run] = await writeRuns(product, organizationId, [
      { workflowId: workflow, contactId: person, userId: rep.userId },
    ]);
    const stored = await table.read(runKey(run?._id ?? ''));
    if (stored === undefined) {
      throw new Error('The run is not there');
    }
    await table.commit([table.replace(stored, { ...stored.data, steps })]);
    return stored.data;
  };
  const many = 300;
  const { _id: older, startedAt: at } = await newRunOf(many);
  for (let first = 1; first <= many; first += 100) {
    const stepRecords = Array.from({ length: 100 }, (_, index) => first + index).map((n) => ({
      ...{ n, nodeId: `node-${n}`, type: 'addNote', status: 'passed' as const, at },
    }));
    await table.commit(
      stepRecords.map((stepRecord) => table.put(stepRecordKey(older, stepRecord.n), stepRecord)),
    );
  }
  const client = runsClient(product, rep);
  for (const list of [client.ofWorkflow, client.ofContact]) {
    const id = list === client.ofWorkflow ? workflow : person;
    expect((await arrange(list(id, { limit: '100' }))).data[0].steps).toHaveLength(many);
  }
  await newRunOf(20_000);
  const alone = await client.read(older);
  const page = await client.ofContact(person);
  expect([alone.body.data.steps.length, page.body.data.length]).toEqual([many, 1]);
});

test('A user who sees the workflow but not the contact sees neither the run nor its contact', async () => {
  const { _id: shared } = await newWorkflow(tenants);
  const hers = { workflowId: shared, contactId, userId: rep.userId };
  const { data: hidden } = await arrange(
    product.call('create-contact', { token: otherRep.token, body: { firstName: 'Hidden' } }),
  );
  const [mine] = await writeRuns(product, organizationId, [hers]);
  const [theirs] = await writeRuns(product, organizationId, [{ ...hers, contactId: hidden._id }]);
  const client = runsClient(product, rep);
  expect(idsOf(await client.everyOfWorkflow(shared))).toEqual([mine?._id]);
  expect(await client.everyOfWorkflow(shared, { contactId: hidden._id })).toEqual([]);
  // A cursor that could name the hidden run's contact holds only its time.
  const page = await arrange(client.ofWorkflow(shared, { limit: '1' }));
  expect(page.data).toEqual([]);
  expect(Buffer.from(page.nextCursor, 'base64url').toString()).toBe(theirs?._id.slice(0, 26));
  expect(outcome(await client.read(theirs?._id ?? ''))).toEqual(
    outcome(await client.read('01JZZZZZZZZZZZZZZZZZZZZZZZ')),
  );
  expect(idsOf(await runsClient(product, admin).everyOfWorkflow(shared))).toEqual([theirs?._id, mine?._id]);
});

test('A user who sees the contact but not the workflow finds its runs with the contact, and reads them', async () => {
  const { _id: own } = (
    await arrange(product.call('create-workflow', { token: admin.token, body: { name: 'Of the admin' } }))
  ).data;
  const [run] = await writeRuns(product, organizationId, [
    { workflowId: own, contactId, userId: admin.userId },
  ]);
  for (const person of [rep, head]) {
    const client = runsClient(product, person);
    expect(idsOf(await client.everyOfContact(contactId))).toContain(run?._id);
    expect((await client.read(run?._id ?? '')).status).toBe(200);
    expect((await client.ofWorkflow(own)).status).toBe(404);
  }
  for (const person of [otherRep, otherHead]) {
    const client = runsClient(product, person);
    expect((await client.read(run?._id ?? '')).status).toBe(404);
    expect((await client.ofContact(contactId)).status).toBe(404);
  }
});

test('Filtered by status, a list reads no runs with another one, however many there are', async () => {
  const { _id: busy } = await newWorkflow(tenants);
  const { table, moment } = product.tableOf(organizationId);
  for (const list of ['active', 'finished'] as const) {
    const entries = Array.from({ length: 500 }, () => ({
      runId: childId(contactId, moment.newId()),
      contactId,
    }));
    for (let first = 0; first < entries.length; first += 100) {
      const some = entries.slice(first, first + 100);
      await table.commit(some.map((entry) => table.put(runEntryKey(busy, list, entry.runId), entry)));
    }
  }
  const hers = { workflowId: busy, contactId, userId: rep.userId, status: 'failed' } as const;
  const failed = await writeRuns(product, organizationId, [hers, hers, hers]);
  let read = 0;
  const counting: typeof table = {
    ...table,
    async page(range, options) {
      const page = await table.page(range, options);
      read += page.records.length;
      return page;
    },
  };
  const caller = {
    userId: rep.userId,
    role: 'SALES_REP',
    organizationId,
    homeOrganizationId: organizationId,
  } as const;
  const page = await readRunsOfWorkflow(counting, caller, busy, { status: 'failed', limit: 25 });
  expect(idsOf(page.runs.map(({ run }) => run)).sort()).toEqual(idsOf(failed).sort());
  expect([read, page.nextCursor]).toEqual([3, null]);
});
