import { expect, test } from 'vitest';
import { roundRobinKey } from '../../functions/workflows/model/execution/round-robin.ts';
import { endBatchOfRuns } from '../../functions/workflows/model/runs/end-batch-of-runs.ts';
import { gateShards } from '../../functions/workflows/model/runs/run-gate.ts';
import { type RunsToEnd, runsToEndKey } from '../../functions/workflows/model/runs/runs-to-end.ts';
import { chunks } from '../../shared/kernel/chunks.ts';
import { after, day } from '../../shared/kernel/time.ts';
import { conflict } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus, failure, outcome } from '../harness/tenants.ts';
import { edge, node, plansClient, waitingGraph } from './plans-client.ts';
import { type RunRecord, runsClient } from './runs-client.ts';
import { nextMonth, waitingWorkflowsIn } from './waiting-workflows.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;
const { organizationId } = rep;
const faults = setUpFaultyTable();
const stream = await tableStream(product);
const client = runsClient(product, rep);
const plans = plansClient(product, organizationId);
const { workflows, runs, toggle, disableAndCancel, newEnabled, notesOf, waitingRuns } =
  await waitingWorkflowsIn(tenants);

const outcomesOf = (found: readonly RunRecord[]) => [
  ...new Set(found.map(({ status, reason }) => `${status} ${reason}`)),
];

test('Deleting a workflow ends its runs, which stay readable through their contact, and leaves nothing else of it', async () => {
  const graph = {
    // Counted by a name that the records of a workflow have.
    nodes: [...waitingGraph.nodes.slice(0, 2), node('RUN_CHANGES', 'addNote', { note: 'Waited' })],
    edges: [edge('start', 'pause'), edge('pause', 'RUN_CHANGES')],
  };
  const { _id: workflowId } = await workflows.created({ ...graph, enabled: true });
  const { contactId, ids } = await waitingRuns(workflowId, 12);
  await runs.advance(ids[0] ?? '', nextMonth());
  await arrange(workflows.update(workflowId, { settings: { reentry: 'always', stopOnReply: true } }));
  expectStatus(await workflows.remove(workflowId), 200);
  await stream.settle();
  const found = await client.everyOfContact(contactId);
  expect([found.length, outcomesOf(found).sort()]).toEqual([
    12,
    ['cancelled workflow_deleted', 'finished undefined'],
  ]);
  expect((await client.read(ids[1] ?? '')).status).toBe(200);
  expect((await client.ofWorkflow(workflowId)).status).toBe(404);
  const keys = async () =>
    (await stream.texts()).flatMap((text) => {
      const [, partition] = /^pk: ORG#[^#]+#(.+)$/m.exec(text) ?? [];
      return partition?.includes(workflowId) ? [`${partition} ${/^sk: (\w+)/m.exec(text)?.[1]}`] : [];
    });
  expect(new Set(await keys())).toEqual(
    new Set([
      `WORKFLOW#${workflowId} RUN_CHANGES`,
      ...Object.entries(gateShards).flatMap(([kind, count]) =>
        Array.from(
          { length: count },
          (_, shard) => `WORKFLOW_GATE#${workflowId}#${shard} ${kind.toUpperCase()}`,
        ),
      ),
    ]),
  );
  await stream.expire(after(new Date(), 367 * day));
  expect(await keys()).toEqual([]);
});

test('All rows of a deleted workflow are deleted, however many they are, beside those that stay for a while', async () => {
  const { table } = runs.tables;
  const clock = { now: new Date(), newId: product.tableOf(organizationId).moment.newId };
  const workflowId = clock.newId();
  const nodes = Array.from({ length: 1_100 }, (_, n) => roundRobinKey(workflowId, String(n)));
  for (const some of chunks(nodes, 100)) {
    await table.commit(
      some.map((key) => table.updateAction(key, { update: 'SET turns = :one', values: { one: 1 } })),
    );
  }
  // Several requests ended its runs one after the other.
  const requests = [1, 2, 3, 4].map(
    (lastEnded): RunsToEnd => ({ workflowId, lastEnded, reason: 'workflow_deleted', deletedRows: 0 }),
  );
  await table.commit(requests.map((one) => table.put(runsToEndKey(workflowId, one.lastEnded), one)));
  const request = async () => (await table.read(runsToEndKey(workflowId, 4)))?.data;
  for (let work = await request(); work !== undefined; work = await request()) {
    await endBatchOfRuns(runs.tables, work, clock);
  }
  const left = await table.list({ partition: runsToEndKey(workflowId, 0).partition });
  expect(new Set(left.map(({ key }) => key.sort[0]))).toEqual(new Set(['RUNS_TO_END']));
});

test('Disabling a workflow starts no more runs, and those that wait go on', async () => {
  const workflowId = await newEnabled();
  const { contactId, ids } = await waitingRuns(workflowId, 1);
  expectStatus(await toggle(workflowId, { enabled: false }), 200);
  await stream.settle();
  expect(await plans.triggersOf(workflowId)).toEqual({});
  await runs.advance(ids[0] ?? '', nextMonth());
  expect([await notesOf(contactId), await runs.read(ids[0] ?? '')]).toMatchObject([
    [{}],
    { status: 'finished' },
  ]);
});

test('Enabled again, a workflow starts runs anew, and those that were ended stay so, whatever is edited', async () => {
  const workflowId = await newEnabled();
  const { contactId, ids } = await waitingRuns(workflowId, 2);
  expectStatus(await disableAndCancel(workflowId), 200);
  expectStatus(await toggle(workflowId, { enabled: true }), 200);
  expect(await plans.revisionOf(workflowId)).toBe(2);
  const fresh = await waitingRuns(workflowId, 1, 2);
  // Before the records of the ended ones have followed.
  const settings = { reentry: 'always' };
  const response = await product.call('update-workflow', {
    ...{ token: rep.token, path: { id: workflowId }, body: { settings }, query: { running: 'move' } },
  });
  expectStatus(response, 200);
  await runs.advance(ids[0] ?? '', nextMonth());
  await stream.settle();
  expect([await notesOf(contactId), outcomesOf(await client.everyOfContact(contactId))]).toEqual([
    [],
    ['cancelled workflow_disabled'],
  ]);
  await runs.advance(fresh.ids[0] ?? '', nextMonth());
  expect([await notesOf(fresh.contactId), await runs.read(fresh.ids[0] ?? '')]).toMatchObject([
    [{}],
    { status: 'finished', revision: 3 },
  ]);
});

test('Runs of a workflow that is disabled already can be cancelled, and `cancelRuns` needs `enabled` false', async () => {
  const workflowId = await newEnabled();
  const { ids } = await waitingRuns(workflowId, 1);
  expectStatus(await toggle(workflowId, {}), 200);
  for (const body of [{}, { enabled: true }]) {
    expect(outcome(await toggle(workflowId, body, 'true'))).toEqual(
      failure(400, 'cancelRuns may be true only if enabled is false'),
    );
  }
  const before = (await workflows.read(workflowId)).body.data;
  expect(expectStatus(await disableAndCancel(workflowId), 200).data).toEqual(before);
  await stream.settle();
  expect(await runs.read(ids[0] ?? '')).toMatchObject({ status: 'cancelled' });
  const draft = await workflows.created(waitingGraph);
  expect(expectStatus(await disableAndCancel(draft._id), 200).data).toEqual(draft);
});

test('Ending many runs goes on where it failed, and each ends once', async () => {
  const workflowId = await newEnabled();
  const { contactId } = await waitingRuns(workflowId, 20);
  expectStatus(await disableAndCancel(workflowId), 200);
  faults.next('TransactWriteItemsCommand', ...Array(7).fill(conflict));
  await stream.settle();
  faults.clear();
  const found = await client.everyOfContact(contactId);
  expect([found.length, outcomesOf(found)]).toEqual([20, ['cancelled workflow_disabled']]);
  const { data } = await arrange(
    product.call('read-workflow-statistics', { token: rep.token, path: { id: workflowId } }),
  );
  expect(data.nodes.map(({ waiting }: { waiting: number }) => waiting)).toEqual(
    Array(data.nodes.length).fill(0),
  );
});

test('Disabling a workflow with `cancelRuns` ends all its runs, however many batches they are, and none of them has an effect from the response on', async () => {
  const workflowId = await newEnabled();
  const { contactId, ids } = await waitingRuns(workflowId, 130);
  const other = await waitingRuns(await newEnabled(), 1);
  expectStatus(await disableAndCancel(workflowId), 200);
  // The records follow later, but a run that is woken now does nothing any more.
  await runs.advance(ids[0] ?? '', nextMonth());
  expect([await notesOf(contactId), await runs.read(ids[0] ?? '')]).toMatchObject([
    [],
    { status: 'cancelled', reason: 'workflow_disabled' },
  ]);
  await stream.settle();
  const ended = await client.everyOfWorkflow(workflowId, { limit: '100' });
  expect([ended.length, outcomesOf(ended)]).toEqual([130, ['cancelled workflow_disabled']]);
  expect(await client.everyOfWorkflow(workflowId, { status: 'waiting' })).toEqual([]);
  expect(await runs.read(other.ids[0] ?? '')).toMatchObject({ status: 'waiting' });
  expect(expectStatus(await disableAndCancel(workflowId), 200).message).toBe(
    'The workflow is already disabled',
  );
});
