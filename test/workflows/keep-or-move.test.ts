import { faker } from '@faker-js/faker';
import { expect, test } from 'vitest';
import { type Run, runKey } from '../../functions/workflows/model/runs/run.ts';
import { childId } from '../../shared/contacts/contact.ts';
import { after, day, timestamp } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, everyPage } from '../harness/tenants.ts';
import { workflowsClient } from './client.ts';
import { edge, node, plansClient, waitingGraph } from './plans-client.ts';
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
  await update(moved.workflowId, { nodes: noteOf('Edited') }, 'move');
  expect(await runs.read(moved.runId)).toEqual(before);
  // Waits keep their time.
  await runs.advance(moved.runId, after(new Date(), 20 * day));
  expect(await moved.texts()).toEqual([]);
  await runs.advance(moved.runId, nextMonth());
  expect([await moved.texts(), await runs.read(moved.runId)]).toMatchObject([
    ['Edited'],
    { revision: 2, status: 'finished' },
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

test('A workflow edited 20 times under 1,000 waiting runs: each goes on exactly where it would have moved at each edit', async () => {
  faker.seed(12);
  const pauses = Array.from({ length: 10 }, (_, n) => `pause${n}`);
  const graph = (present: readonly { id: string; type: string }[], text: string) => ({
    nodes: [
      start,
      ...present.map(({ id, type }) => node(id, type, { value: 3, unit: 'weeks' })),
      node('note', 'addNote', { note: text }),
    ],
    edges: pauses.flatMap((id) => [edge('start', id), edge(id, 'note')]),
  });
  const { _id: workflowId } = await workflows.created({
    ...graph(
      pauses.map((id) => ({ id, type: 'delay' })),
      'Revision 1',
    ),
    enabled: true,
  });
  const { _id: contactId } = await newContact();
  const { table } = runs.tables;
  const now = new Date();
  /** The runs, and the revision where each would be if all moved at each edit; the nodes where they wait. */
  const all: { readonly run: Run; expected: number; places: readonly string[] }[] = [];
  const typesOf = new Map<number, ReadonlyMap<string, string>>([
    [1, new Map(pauses.map((id) => [id, 'delay']))],
  ]);

  async function startMore(count: number, revision: number): Promise<void> {
    const present = [...(typesOf.get(revision)?.keys() ?? [])];
    const started = Array.from(
      { length: count },
      (_, n): Run => ({
        ...{
          _id: childId(contactId, `${String(all.length + n).padStart(6, '0')}${'0'.repeat(20)}`),
          workflowId,
          contactId,
          userId,
        },
        ...{ revision, status: 'waiting', triggerId: 'start', topic: 'manual.started', chain: [workflowId] },
        // Two paths: the first wait ends long before the second one.
        tokens: [0, 1].map((index) => ({
          n: index + 1,
          nodeId: present[(n + index) % present.length] ?? '',
          wait: { since: timestamp(now), until: timestamp(after(now, (21 + 40 * index) * day)) },
        })),
        ...{ steps: 2, tokenCount: 2, startedAt: timestamp(now) },
      }),
    );
    await table.commit(started.map((run) => table.add(runKey(run._id), run)));
    const nodeIdsOf = ({ tokens }: Run) => tokens.map(({ nodeId }) => nodeId);
    all.push(...started.map((run) => ({ run, expected: revision, places: nodeIdsOf(run) })));
  }

  /** The first path of some runs comes to its end: each writes its note in the graph where it is by now. */
  async function advanceSome(): Promise<void> {
    const some = faker.helpers.arrayElements(
      all.filter(({ places }) => places.length === 2),
      3,
    );
    for (const one of some) {
      await runs.advance(one.run._id, nextMonth());
      const run = await runs.read(one.run._id);
      expect([run?.revision, run?.status, run?.tokens.map(({ nodeId }) => nodeId)]).toEqual([
        one.expected,
        'waiting',
        one.places.slice(1),
      ]);
      one.places = one.places.slice(1);
      written.push(`Revision ${one.expected}`);
    }
  }
  const written: string[] = [];

  await startMore(50, 1);
  for (let revision = 2; revision <= 21; revision += 1) {
    const present = faker.helpers.arrayElements(pauses, { min: 3, max: 10 }).map((id) => ({
      id,
      type: faker.helpers.weightedArrayElement([
        { weight: 9, value: 'delay' },
        { weight: 1, value: 'waitUntil' },
      ]),
    }));
    const running = faker.helpers.arrayElement(['keep', 'move']);
    await update(workflowId, graph(present, `Revision ${revision}`), running);
    const types = new Map(present.map(({ id, type }) => [id, type]));
    typesOf.set(revision, types);
    for (const one of running === 'move' ? all : []) {
      const was = typesOf.get(one.expected);
      const isThere = one.places.every((nodeId) => types.get(nodeId) === was?.get(nodeId));
      one.expected = isThere ? revision : one.expected;
    }
    await advanceSome();
    await startMore(revision === 21 ? 0 : 50, revision);
  }
  expect(all).toHaveLength(1_000);
  expect(await plans.revisionOf(workflowId)).toBe(21);
  const notes = await everyPage<{ note: string }>((more) =>
    product.call('list-notes', { token: rep.token, query: { contactId, ...more } }),
  );
  expect(notes.map(({ note: text }) => text).sort()).toEqual(written.toSorted());
  const present = await Promise.all(all.map(({ run }) => runs.read(run._id)));
  const found = await Promise.all(present.flatMap((run) => (run === undefined ? [] : runs.planOf(run))));
  expect(found.map((plan) => plan?.revision)).toEqual(all.map(({ expected }) => expected));
  expect(found.map((plan) => plan?.plan.nodes.note?.data.note)).toEqual(
    all.map(({ expected }) => `Revision ${expected}`),
  );
  // Some stayed, some moved, and not all to the same one.
  expect(
    new Set(all.map(({ run, expected }) => `${run.revision === expected} ${expected}`)).size,
  ).toBeGreaterThan(10);
});
