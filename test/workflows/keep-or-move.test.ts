import { expect, test } from 'vitest';
import { after, day } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange } from '../harness/tenants.ts';
import { workflowsClient } from './client.ts';
import { edge, plansClient, waitingGraph } from './plans-client.ts';
import { readStartedRuns } from './started-runs.ts';

const tenants = await setUpTenants();
const { product, rep, newContact } = tenants;
const { organizationId, userId } = rep;
const workflows = workflowsClient(product, rep);
const plans = plansClient(product, organizationId);
const runs = await readStartedRuns(product, organizationId);

const update = (id: string, body: object, running?: string) =>
  arrange(
    product.call('update-workflow', {
      token: rep.token,
      path: { id },
      body,
      query: running === undefined ? {} : { running },
    }),
  );
const nextMonth = () => after(new Date(), 31 * day);
const [start, pause, note] = waitingGraph.nodes;
const noteOf = (text: string) => [start, pause, { ...note, data: { note: text } }];

/** A run that waits in a workflow, with the contact that it is of. */
async function waitingRun(graph: object = waitingGraph) {
  const { _id: contactId } = await newContact();
  const { _id: workflowId } = await workflows.created({ ...graph, enabled: true });
  const runId = await runs.start({ workflowId, contactId, userId, revision: 1 });
  const texts = async (): Promise<string[]> => {
    const { data } = await arrange(product.call('list-notes', { token: rep.token, query: { contactId } }));
    return data.map((one: { note: string }) => one.note);
  };
  return { workflowId, runId, texts };
}

test('A run that waits while its workflow is edited goes on in the graph that it is in, unless it is to move', async () => {
  const kept = await waitingRun();
  await update(kept.workflowId, { nodes: noteOf('Edited') });
  await runs.advance(kept.runId, nextMonth());
  expect([await kept.texts(), await runs.read(kept.runId)]).toMatchObject([
    ['Waited'],
    { revision: 1, status: 'finished' },
  ]);

  const moved = await waitingRun();
  const before = await runs.read(moved.runId);
  const edges = [edge('start', 'pause'), edge('pause', 'other')];
  await update(moved.workflowId, { nodes: [start, pause, { ...note, id: 'other' }], edges }, 'move');
  await update(moved.workflowId, { ...waitingGraph, nodes: noteOf('Edited twice') }, 'move');
  expect(await runs.read(moved.runId)).toEqual(before);
  // Waits keep their time.
  await runs.advance(moved.runId, after(new Date(), 20 * day));
  expect(await moved.texts()).toEqual([]);
  await runs.advance(moved.runId, nextMonth());
  expect([await moved.texts(), await runs.read(moved.runId)]).toMatchObject([
    ['Edited twice'],
    { revision: 3, status: 'finished' },
  ]);
});

test('A run stays on its revision when the node it waits at is gone, or has become something else', async () => {
  for (const nodes of [
    [start, note],
    [
      start,
      { ...pause, type: 'addNote', data: { note: 'In place of the pause' } },
      { ...note, data: { note: 'Edited' } },
    ],
  ]) {
    const { workflowId, runId, texts } = await waitingRun();
    await update(workflowId, { nodes }, 'move');
    await runs.advance(runId, nextMonth());
    expect([await texts(), await runs.read(runId)]).toMatchObject([['Waited'], { revision: 1 }]);
  }
});

test('A run that could not move goes on in a later graph that has its node again', async () => {
  const { workflowId, runId, texts } = await waitingRun();
  await update(workflowId, { nodes: [start, note] }, 'move');
  await update(workflowId, { nodes: noteOf('Back again') }, 'move');
  await runs.advance(runId, nextMonth());
  expect([await texts(), await runs.read(runId)]).toMatchObject([['Back again'], { revision: 3 }]);
});

test('An empty body brings runs that stayed to the present graph, even while the workflow is disabled', async () => {
  const { workflowId, runId, texts } = await waitingRun();
  await update(workflowId, { nodes: noteOf('Edited') }, 'keep');
  const before = (await workflows.read(workflowId)).body.data;
  expect(await update(workflowId, {}, 'move')).toMatchObject({ message: 'Workflow updated', data: before });
  expect(await update(workflowId, {}, 'move')).toMatchObject({ message: 'No changes', data: before });
  await arrange(workflows.toggle(workflowId, { enabled: false }));
  await update(workflowId, { nodes: noteOf('Edited while disabled') }, 'move');
  await runs.advance(runId, nextMonth());
  expect([await texts(), await runs.read(runId)]).toMatchObject([['Edited while disabled'], { revision: 3 }]);
});

test('A run that failed goes on in the graph that runs were brought to since, when it is retried', async () => {
  const { workflowId, runId, texts } = await waitingRun({
    ...waitingGraph,
    nodes: noteOf('{{event.nothing}}'),
  });
  await runs.advance(runId, nextMonth());
  expect(await runs.read(runId)).toMatchObject({ revision: 1, status: 'failed' });
  await update(workflowId, { nodes: noteOf('Mended') }, 'move');
  await arrange(product.call('retry-workflow-run', { token: rep.token, path: { id: runId } }));
  await runs.advance(runId, nextMonth());
  expect([await texts(), await runs.read(runId)]).toMatchObject([
    ['Mended'],
    { revision: 2, status: 'finished' },
  ]);
});

test('A workflow without runs, and a draft, take `running` too, and other words are refused', async () => {
  const { _id } = await workflows.created(waitingGraph);
  await update(_id, { nodes: noteOf('Edited') }, 'move');
  expect(await plans.stateOf(_id)).toBeUndefined();
  const response = await product.call('update-workflow', {
    token: rep.token,
    path: { id: _id },
    body: {},
    query: { running: 'stop' },
  });
  expect(response.status).toBe(400);
});
