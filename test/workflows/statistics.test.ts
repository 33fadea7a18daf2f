import { expect, test } from 'vitest';
import { newRefusal, refusalActions } from '../../functions/workflows/model/runs/refusals.ts';
import { after, day, minute, timestamp } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { newWorkflow } from './client.ts';
import { runsClient, writeRuns } from './runs-client.ts';

const tenants = await setUpTenants();
const { product, admin, rep, otherRep, newContact } = tenants;
const client = runsClient(product, rep);
const { table, moment } = product.tableOf(admin.organizationId);

const nodeIds = ['trigger', 'note', 'constructor', 'Knoten 7 #ü', 'pause'];
const graph = {
  nodes: nodeIds.map((id) => ({ id, type: 'addNote', position: { x: 0, y: 0 }, data: {} })),
  edges: [],
};

const statistics = async (workflowId: string, by = client) =>
  expectStatus(await by.statistics(workflowId), 200).data;

const nothing = (nodeId: string) => ({ nodeId, passed: 0, waiting: 0, skipped: {}, failed: 0 });

test('The statistics of a workflow that never ran are zero for each of its nodes', async () => {
  const { _id } = await newWorkflow(tenants, graph);
  expect(await statistics(_id)).toEqual({ nodes: nodeIds.map(nothing), refused: {}, lastRefusals: [] });
});

test('Statistics count what steps came to, and which paths of runs that go on wait where, until a run ends or its contact is gone', async () => {
  const { _id: workflowId } = await newWorkflow(tenants, graph);
  const { _id: contactId } = await newContact();
  const at = timestamp(new Date());
  const stepRecords = (['passed', 'passed', 'skipped', 'failed', 'waiting'] as const).map(
    (status, index) => ({
      ...{ n: index + 1, nodeId: 'note', type: 'addNote', status, at },
      ...(status === 'skipped' && { reason: 'opted_out' }),
    }),
  );
  const wait = { since: at, until: timestamp(after(new Date(), day)) };
  const tokens = [
    { n: 1, nodeId: 'pause', wait },
    { n: 2, nodeId: 'note' },
  ];
  const run = { workflowId, contactId, userId: rep.userId, stepRecords, tokens };
  const [waiting, failed] = await writeRuns(product, admin.organizationId, [
    { ...run, status: 'waiting' },
    { ...run, status: 'failed' },
  ]);
  const counts = async () => {
    const { nodes } = await statistics(workflowId);
    const of = (nodeId: string) => nodes.find((one: { nodeId: string }) => one.nodeId === nodeId);
    return [of('note'), of('pause').waiting];
  };
  const note = { nodeId: 'note', passed: 4, waiting: 0, skipped: { opted_out: 2 }, failed: 2 };
  expect(await counts()).toEqual([note, 1]);
  await arrange(client.retry(failed?._id ?? ''));
  expect(await counts()).toEqual([note, 2]);
  await arrange(client.cancel(waiting?._id ?? ''));
  expect(await counts()).toEqual([note, 1]);
  const stream = await tableStream(product);
  await arrange(product.call('delete-contact', { token: rep.token, path: { id: contactId } }));
  await stream.settle();
  expect(await counts()).toEqual([note, 0]);
});

test('Statistics count the runs that did not start, and list the last hundred', async () => {
  const { _id: workflowId } = await newWorkflow(tenants, graph);
  const { _id: contactId } = await newContact();
  const start = new Date('2026-11-20T09:00:00.000Z');
  const at = (index: number) => after(start, index * minute);
  for (let index = 0; index < 105; index += 1) {
    const reason = index % 3 === 0 ? 'loop_guard' : 'reentry';
    const refusal = newRefusal(reason, { contactId, nodeId: 'trigger', chain: [workflowId] }, at(index));
    const runId = `${String(index).padStart(26, '0')}${contactId}`;
    await table.commit(refusalActions(table, workflowId, new Map([[runId, refusal]]), new Date()));
  }
  const { refused, lastRefusals } = await statistics(workflowId);
  expect(refused).toEqual({ loop_guard: 35, reentry: 70 });
  expect(lastRefusals).toHaveLength(100);
  const chain = [workflowId];
  expect(lastRefusals[0]).toEqual({
    ...{ at: timestamp(at(104)), reason: 'reentry', contactId, nodeId: 'trigger', chain },
  });
});

test('A refusal for a contact that the reader may not see does not name it', async () => {
  const { _id: workflowId } = await newWorkflow(tenants, graph);
  const { data: hidden } = await arrange(
    product.call('create-contact', { token: otherRep.token, body: { firstName: 'Hidden' } }),
  );
  const refusal = newRefusal(
    'contact_not_visible',
    { contactId: hidden._id, nodeId: 'trigger', chain: [] },
    new Date(),
  );
  const refusals = new Map([[`${moment.newId()}${hidden._id}`, refusal]]);
  await table.commit(refusalActions(table, workflowId, refusals, new Date()));
  expect((await statistics(workflowId)).lastRefusals).toEqual([
    { at: refusal.at, reason: 'contact_not_visible', nodeId: 'trigger', chain: [] },
  ]);
  const [toAdmin] = (await statistics(workflowId, runsClient(product, admin))).lastRefusals;
  expect(toAdmin.contactId).toBe(hidden._id);
});
