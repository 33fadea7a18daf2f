import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { rulesLimit } from '../../functions/workflows/model/definition/node-fields.ts';
import { topics } from '../../functions/workflows/model/definition/topics.ts';
import { maxEnabled, maxTriggers } from '../../functions/workflows/model/definition/triggers.ts';
import { workflowLimits } from '../../functions/workflows/model/definition/workflow-schemas.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { arrange, countStatuses, expectStatus, failure, outcome, type Tenants } from '../harness/tenants.ts';
import { prepareRuns } from './advancing.ts';
import { newWorkflowsClient } from './client.ts';
import { edge, node, plansClient } from './plans-client.ts';

const product = await setUpProduct();
const workflows = await newWorkflowsClient(product);
const plans = plansClient(product, workflows.admin.organizationId);

const trigger = (id: string, event: string, data: object = {}) => node(id, 'trigger', { event, ...data });

test(`The first ${maxTriggers} triggers of a workflow start runs, and one with a filter that is too long does not`, async () => {
  const many = Array.from({ length: 300 }, (_, n) => trigger(`t${n}`, topics[n % topics.length] ?? ''));
  const value = 'x'.repeat(rulesLimit);
  const long = trigger('long', 'contact.created', {
    filter: [{ field: 'contact.stage', operator: 'equals', value }],
  });
  const { _id } = await workflows.created({ nodes: [long, ...many], enabled: true });
  const rows = Object.values(await plans.triggersOf(_id));
  const ids = rows.flatMap(({ triggers }) => triggers.map(({ nodeId }) => nodeId));
  expect(ids.toSorted()).toEqual(
    many
      .slice(0, maxTriggers)
      .map(({ id }) => id)
      .toSorted(),
  );
  // All of them change at once, in one transaction.
  await arrange(workflows.update(_id, { settings: { reentry: 'always', stopOnReply: true } }));
  expect(Object.values(await plans.triggersOf(_id)).every(({ revision }) => revision === 2)).toBe(true);
  await arrange(workflows.toggle(_id));
  await arrange(workflows.remove(_id));
});

test('The triggers for one event whose filters fit together start runs, and the check names the others', async () => {
  const large = (id: string, event: string) =>
    trigger(id, event, {
      filter: [{ field: 'contact.stage', operator: 'equals', value: 'x'.repeat(rulesLimit - 100) }],
    });
  const ofOne = ['a', 'b', 'c', 'd'].map((id) => large(id, 'contact.created'));
  const nodes = [...ofOne, trigger('small', 'contact.created'), large('other', 'contact.updated')];
  const { _id } = await workflows.created({ nodes, enabled: true });
  const rows = Object.values(await plans.triggersOf(_id));
  const ids = rows.flatMap(({ triggers }) => triggers.map(({ nodeId }) => nodeId));
  expect(ids.toSorted()).toEqual(['a', 'b', 'other', 'small']);
  const checked = await product.call('check-workflow', { token: workflows.admin.token, path: { id: _id } });
  const message =
    'The trigger starts no runs: the filters of a workflow for contact.created may have 8 KB together, as JSON. Make another workflow for the others.';
  for (const nodeId of ['c', 'd']) {
    expect(checked.body.data.problems).toContainEqual({ nodeId, severity: 'error', message });
  }
  await arrange(workflows.remove(_id));
});

test(`At most ${maxEnabled} workflows of an organization may be enabled with a trigger for one event, however many try`, async () => {
  const newDraft = () => workflows.created({ nodes: [trigger('t', 'call.missed')] });
  const drafts = await Promise.all(Array.from({ length: maxEnabled - 3 }, newDraft));
  await Promise.all(drafts.map(({ _id }) => arrange(workflows.toggle(_id, { enabled: true }))));
  const some = await Promise.all(Array.from({ length: 6 }, newDraft));
  const responses = await Promise.all(some.map(({ _id }) => workflows.toggle(_id, { enabled: true })));
  expect(countStatuses(responses)).toEqual({ 200: 3, 409: 3 });
  const refused = some[responses.findIndex(({ status }) => status === 409)]?._id ?? '';
  expect(outcome(await workflows.toggle(refused, { enabled: true }))).toEqual(
    failure(
      409,
      'At most 50 workflows of an organization may be enabled with a trigger for call.missed. Disable one of them first.',
    ),
  );
  // One that is disabled, deleted or loses its trigger makes room, and one that changes beside it takes none.
  const [one, other, third, fourth] = drafts.map(({ _id }) => _id);
  await arrange(workflows.update(fourth ?? '', { settings: { reentry: 'always' } }));
  expect((await workflows.toggle(refused, { enabled: true })).status).toBe(409);
  await arrange(workflows.toggle(one ?? '', { enabled: false }));
  await arrange(workflows.remove(other ?? ''));
  await arrange(workflows.update(third ?? '', { nodes: [trigger('t', 'call.ended')] }));
  expect((await workflows.update(one ?? '', { enabled: true })).status).toBe(200);
  expect((await workflows.toggle(refused, { enabled: true })).status).toBe(200);
  await arrange(workflows.create({ name: 'one more', nodes: [trigger('t', 'call.missed')], enabled: true }));
  expect((await workflows.update(third ?? '', { nodes: [trigger('t', 'call.missed')] })).status).toBe(409);
  await arrange(workflows.toggle(refused, { enabled: false }));
});

test('A graph of as many nodes as there may be is enabled, edited and deleted, whatever they are', async () => {
  const event = (n: number) => topics[n % topics.length] ?? '';
  const nodes = Array.from({ length: workflowLimits.nodes }, (_, n) =>
    n % 2 === 0
      ? trigger(`n${n}`, event(n))
      : node(`n${n}`, 'waitForEvent', { event: event(n), timeout: { value: 1, unit: 'days' } }),
  );
  const edges = nodes.map(({ id }, n) => edge(id, `n${(n * 7) % nodes.length}`));
  const { _id } = await workflows.created({ nodes, edges });
  expect((await workflows.toggle(_id)).status).toBe(200);
  expect((await workflows.update(_id, { nodes: nodes.slice(1) })).status).toBe(200);
  expect(await plans.revisionOf(_id)).toBe(2);
  expect((await workflows.remove(_id)).status).toBe(200);
});

test('A disabled workflow gets triggers and waits for every event, is renamed and enabled at once', async () => {
  const { _id } = await workflows.created({ nodes: [trigger('t', 'call.missed')], enabled: true });
  await arrange(workflows.toggle(_id));
  const timeout = { value: 1, unit: 'days' };
  const nodes = topics.flatMap((event) => [
    trigger(`on ${event}`, event),
    node(`wait ${event}`, 'waitForEvent', { event, timeout }),
  ]);
  const edges = topics.map((event) => edge(`on ${event}`, `wait ${event}`));
  const response = await workflows.update(_id, { name: 'For everything', nodes, edges, enabled: true });
  expect(response.status).toBe(200);
  expect(Object.keys(await plans.triggersOf(_id)).sort()).toEqual([...topics].sort());
  expect((await plans.awaited()).sort()).toEqual([...topics].sort());
  await arrange(workflows.remove(_id));
});

test('A graph with ids, types and ways of any length is enabled and run: nothing leads to a node with a long id, and steps of a long type are skipped', async () => {
  const tenants = { product, rep: workflows.admin } as Tenants;
  const runs = await prepareRuns(tenants);
  // No compression makes it fit into a record.
  const noise = randomBytes(450_000).toString('base64');
  const long = (letter: string) => `${letter.repeat(60)}${noise}`;
  const workflow = await workflows.created({
    nodes: [
      trigger('trigger', 'manual.started'),
      trigger(long('t'), 'call.missed'),
      node('odd', long('o')),
      node('ways', 'switch', { field: 'event.contactId', cases: [long('c')] }),
      node(long('n'), 'addNote', { note: 'Hi' }),
    ],
    edges: [edge('trigger', 'odd'), edge('odd', 'ways'), { ...edge('ways', long('n'), long('c')), id: 'e' }],
    enabled: true,
  });
  const token = workflows.admin.token;
  const created = await product.call('create-contact', { token, body: { firstName: 'A', lastName: 'B' } });
  const { _id: contactId } = expectStatus(created, 201).data;
  const runId = await runs.start(workflow, contactId, { userId: workflows.admin.userId });
  await runs.advance(runId);
  expect(await runs.run(runId)).toMatchObject({ status: 'finished' });
  expect((await runs.stepRecords(runId)).map(({ status, reason }) => [status, reason])).toEqual([
    ['passed', undefined],
    ['skipped', 'unknown_type'],
    ['skipped', 'invalid_data'],
  ]);
  const checked = await product.call('check-workflow', { token, path: { id: workflow._id } });
  const told = checked.body.data.problems.map(({ message }: { message: string }) => message);
  for (const letter of ['t', 'n']) {
    expect(told).toContain(
      `The id of the node "${letter.repeat(59)}…" has more than 200 characters, so no run comes to it. Give it a shorter one.`,
    );
  }
  await arrange(workflows.remove(workflow._id));
});
