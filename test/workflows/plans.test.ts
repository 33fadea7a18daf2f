import { expect, test } from 'vitest';
import { planKey } from '../../functions/workflows/model/definition/plan-row.ts';
import { topics } from '../../functions/workflows/model/definition/topics.ts';
import { after, day, epochSeconds } from '../../shared/kernel/time.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { newWorkflowsClient } from './client.ts';
import { incompressible } from './graphs.ts';
import { edge, node, plansClient, waitingGraph } from './plans-client.ts';
import { watchedDocuments } from './watched-documents.ts';

const product = await setUpProduct();
const workflows = await newWorkflowsClient(product);
const { organizationId, userId } = workflows.admin;
const plans = plansClient(product, organizationId);

const trigger = (id: string, event: string, data: object = {}) => node(id, 'trigger', { event, ...data });
const enabled = (more: object = {}) => workflows.created({ ...waitingGraph, enabled: true, ...more });

test('A workflow that is enabled has a plan, and a trigger for each topic that starts it', async () => {
  const filter = [{ field: 'contact.stage', operator: 'equals', value: 'Won' }];
  const { _id } = await workflows.created({
    nodes: [
      trigger('a', 'contact.created'),
      trigger('b', 'contact.stage_changed', { filter, match: 'any' }),
      trigger('c', 'contact.created'),
      node('note', 'addNote', { note: 'Hello' }),
    ],
    edges: [edge('a', 'note'), edge('b', 'note')],
    settings: { reentry: 'always', rate: { value: 10, unit: 'hours' } },
    enabled: true,
  });
  expect((await plans.planOf(_id, 1))?.nodes.a?.ways).toEqual({ '': ['note'] });
  const common = { workflowId: _id, userId, revision: 1, reentry: 'always' };
  expect(await plans.triggersOf(_id)).toEqual({
    'contact.created': {
      ...{ ...common, rate: expect.anything() },
      triggers: [
        { nodeId: 'a', filter: [], match: 'all' },
        { nodeId: 'c', filter: [], match: 'all' },
      ],
    },
    'contact.stage_changed': {
      ...{ ...common, rate: expect.anything() },
      triggers: [{ nodeId: 'b', filter, match: 'any' }],
    },
  });
});

test('Triggers are there exactly as long as the workflow is enabled', async () => {
  const { _id } = await workflows.created(waitingGraph);
  const topicsNow = async () => Object.keys(await plans.triggersOf(_id));
  expect([await topicsNow(), await plans.stateOf(_id)]).toEqual([[], undefined]);
  for (let n = 0; n < 2; n += 1) {
    await arrange(workflows.toggle(_id, { enabled: true }));
    expect([await topicsNow(), await plans.revisionOf(_id)]).toEqual([['manual.started'], 1]);
    await arrange(workflows.update(_id, { enabled: false }));
    expect(await topicsNow()).toEqual([]);
  }
  await arrange(workflows.toggle(_id, { enabled: true }));
  await arrange(workflows.remove(_id));
  expect(await topicsNow()).toEqual([]);
});

test('Another revision begins when nodes, edges or settings change, and not when somebody drags nodes or changes what is beside the graph', async () => {
  const { _id } = await enabled();
  const { nodes, edges } = waitingGraph;
  const same = [
    { nodes: nodes.map((one, x) => ({ ...one, position: { x, y: 7 }, selected: true })) },
    { nodes: nodes.toReversed() },
    { name: 'Another name', description: 'x', viewport: { x: 1, y: 1, zoom: 2 }, extra: [1] },
    { edges: edges.map((one) => ({ ...one, animated: true })) },
    { enabled: false },
    { enabled: true },
  ];
  for (const change of same) {
    await arrange(workflows.update(_id, change));
    expect(await plans.revisionOf(_id)).toBe(1);
  }
  const different = [
    { nodes: [...nodes, node('end', 'stop')] },
    { edges: [...edges, edge('note', 'end')] },
    { settings: { reentry: 'never' } },
    { nodes, edges, settings: {} },
  ];
  for (const [index, change] of different.entries()) {
    await arrange(workflows.update(_id, change));
    expect(await plans.revisionOf(_id)).toBe(index + 2);
    expect((await plans.triggersOf(_id))['manual.started']?.revision).toBe(index + 2);
  }
});

test('Edits of a disabled workflow make one revision, when it is enabled', async () => {
  const { _id } = await enabled();
  await arrange(workflows.toggle(_id, { enabled: false }));
  for (const note of ['One', 'Two', 'Three']) {
    await arrange(
      workflows.update(_id, { nodes: [...waitingGraph.nodes, node('more', 'addNote', { note })] }),
    );
  }
  expect(await plans.revisionOf(_id)).toBe(1);
  await arrange(workflows.toggle(_id));
  expect(await plans.revisionOf(_id)).toBe(2);
  expect((await plans.planOf(_id, 2))?.nodes.more?.data).toEqual({ note: 'Three' });
});

test('A workflow that loses its triggers and gets them back starts runs again', async () => {
  const { _id } = await enabled();
  await arrange(workflows.update(_id, { nodes: waitingGraph.nodes.slice(1) }));
  expect(await plans.triggersOf(_id)).toEqual({});
  await arrange(workflows.update(_id, { nodes: waitingGraph.nodes }));
  expect(Object.keys(await plans.triggersOf(_id))).toEqual(['manual.started']);
});

test('Properties of any name come back as they were sent, even those that the service uses itself', async () => {
  const own = { plan: { revision: 7 }, revision: 'mine', settings: { reentry: 'sometimes', z: 1, a: null } };
  const sent = await enabled(own);
  expect(sent).toMatchObject(own);
  const { data } = expectStatus(await workflows.read(sent._id), 200);
  expect(data).toEqual(sent);
  expect(JSON.stringify(data.settings)).toBe(JSON.stringify(own.settings));
  const listed = await workflows.everything({ search: sent.name });
  expect(listed).toEqual([sent]);
  const { plan: _, ...plain } = await enabled();
  expect(Object.keys(plain)).not.toContain('revision');
  expect((await workflows.read(plain._id)).body.data).not.toHaveProperty('plan');
});

test('20 edits at once make 20 revisions, and the triggers are those of the newest', async () => {
  const { _id } = await enabled();
  const events = topics.filter((topic) => topic !== 'manual.started');
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      workflows.update(_id, { nodes: [trigger(`start-${n}`, events[n] ?? '')] }),
    ),
  );
  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(await plans.revisionOf(_id)).toBe(21);
  const newest = (await workflows.read(_id)).body.data.nodes[0];
  expect(await plans.triggersOf(_id)).toMatchObject({
    [newest.data.event]: { revision: 21, triggers: [{ nodeId: newest.id }] },
  });
  expect(Object.keys(await plans.triggersOf(_id))).toHaveLength(1);
  const first = await Promise.all(
    Array.from({ length: 21 }, async (_, n) => Object.keys((await plans.planOf(_id, n + 1))?.nodes ?? {})[0]),
  );
  expect(new Set(first).size).toBe(21);
});

test('Whoever waits for a topic is known by it: waits, goals, and an end by a reply', async () => {
  const before = await plans.awaited();
  await enabled({
    nodes: [
      ...waitingGraph.nodes,
      node('wait', 'waitForEvent', { event: 'call.ended', timeout: { value: 1, unit: 'days' } }),
    ],
    settings: { stopOnReply: true, goal: { event: 'contact.stage_changed', filter: [] } },
  });
  expect((await plans.awaited()).filter((topic) => !before.includes(topic)).sort()).toEqual([
    'call.ended',
    'contact.stage_changed',
    'message.received',
  ]);
});

test('A superseded plan expires when no run can need it any more, and the newest never', async () => {
  const { table } = product.tableOf(organizationId);
  const { _id } = await enabled();
  const at = new Date(Date.now() + 60_000);
  await arrange(workflows.update(_id, { settings: { reentry: 'never' } }, { at }));
  const expiryOf = async (revision: number) =>
    (await table.read(planKey(_id, revision)))?.attributes?.expiresAt;
  expect([await expiryOf(1), await expiryOf(2)]).toEqual([epochSeconds(after(at, 367 * day)), undefined]);
});

test('A plan that does not fit into a row lies in the object store, and goes when nobody needs it', async () => {
  const stream = await tableStream(product);
  const documents = await watchedDocuments(product);
  const large = () => node('noise', 'addNote', { note: JSON.parse(incompressible(600_000)) });
  const { _id } = await enabled({ nodes: [...waitingGraph.nodes, large()] });
  expect((await plans.planOf(_id, 1))?.nodes.noise).toBeDefined();
  expect(documents.kept.size).toBe(2);
  await arrange(workflows.update(_id, { nodes: [...waitingGraph.nodes, large()] }));
  // The document is replaced, and the plan that runs may be on stays.
  expect(documents.kept.size).toBe(3);
  await stream.settle();
  await stream.expire(new Date(Date.now() + 367 * day));
  expect((await product.objects.contents()).length).toBe(2);
  await arrange(workflows.remove(_id));
  await stream.settle();
  expect(await product.objects.contents()).toEqual([]);
});
