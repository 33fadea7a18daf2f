import { expect, test } from 'vitest';
import { newRefusal, refusalActions } from '../../functions/workflows/model/runs/refusals.ts';
import type { StoredStepRecord, Token } from '../../functions/workflows/model/runs/run.ts';
import { after, day, minute, timestamp } from '../../shared/kernel/time.ts';
import { runStatuses } from '../../shared/workflows/run-statuses.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { randomness } from '../harness/randomness.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { newWorkflow } from './client.ts';
import { runsClient, type WrittenRun, writeRuns } from './runs-client.ts';

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

test('Statistics are exact after random runs, after their ends, and after the deletion of a contact', async () => {
  const random = randomness(12);
  const { _id: workflowId } = await newWorkflow(tenants, graph);
  const contacts = await Promise.all(Array.from({ length: 6 }, () => newContact()));
  const at = timestamp(new Date());
  const reasons = ['opted_out', 'no_number', 'outside_hours'];
  const reached = [...nodeIds, 'taken-out'];
  const newReceipt = (_: unknown, index: number): StoredStepRecord => {
    const status = random.pick(['passed', 'passed', 'waiting', 'skipped', 'failed'] as const);
    const reason = status === 'skipped' ? { reason: random.pick(reasons) } : {};
    return { n: index + 1, nodeId: random.pick(reached), type: 'addNote', status, ...reason, at };
  };
  const newToken = (_: unknown, index: number): Token => {
    const wait = { since: at, until: timestamp(after(new Date(), day)) };
    return { n: index + 1, nodeId: random.pick(reached), ...(random.chance(0.8) && { wait }) };
  };
  const written = Array.from({ length: 60 }, (): WrittenRun => {
    const status = random.pick(runStatuses);
    const isOver = status === 'finished' || status === 'cancelled';
    return {
      ...{ workflowId, userId: rep.userId, status },
      contactId: random.pick(contacts)._id,
      stepRecords: Array.from({ length: random.below(8) }, newReceipt),
      tokens: isOver ? [] : Array.from({ length: 1 + random.below(3) }, newToken),
    };
  });
  const runs = await writeRuns(product, admin.organizationId, written);

  const expected = (waitingRuns: readonly { tokens?: readonly Token[] }[]) =>
    reached.map((nodeId) => {
      const stepRecords = written
        .flatMap((run) => run.stepRecords ?? [])
        .filter((step) => step.nodeId === nodeId);
      const count = (status: string) =>
        stepRecords.filter((stepRecord) => stepRecord.status === status).length;
      const skipped = stepRecords.flatMap(({ status, reason }) =>
        status === 'skipped' && reason !== undefined ? [reason] : [],
      );
      const tokens = waitingRuns.flatMap((run) => run.tokens ?? []);
      return {
        ...{ nodeId, passed: count('passed'), failed: count('failed') },
        waiting: tokens.filter((token) => token.nodeId === nodeId && token.wait !== undefined).length,
        skipped: Object.fromEntries(
          [...Map.groupBy(skipped, (reason) => reason)].map(([reason, all]) => [reason, all.length]),
        ),
      };
    });
  const active = runs.filter(({ status }) => status === 'running' || status === 'waiting');
  expect((await statistics(workflowId)).nodes).toEqual(expected(active));

  const cancelled = active.slice(0, 5);
  for (const { _id } of cancelled) {
    await arrange(client.cancel(_id));
  }
  const failed = runs.find(({ status }) => status === 'failed');
  await arrange(client.retry(failed?._id ?? ''));
  const left = [...active.slice(5), ...(failed === undefined ? [] : [failed])];
  expect((await statistics(workflowId)).nodes).toEqual(expected(left));

  const [gone] = contacts;
  const stream = await tableStream(product);
  await arrange(product.call('delete-contact', { token: rep.token, path: { id: gone?._id ?? '' } }));
  await stream.settle();
  const others = left.filter(({ contactId }) => contactId !== gone?._id);
  expect(others.length).toBeLessThan(left.length);
  expect((await statistics(workflowId)).nodes).toEqual(expected(others));
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
