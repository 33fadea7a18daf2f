import { expect, test } from 'vitest';
import { readEvents } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { arrange, expectStatus, failure, outcome } from '../harness/tenants.ts';
import { newWorkflowsClient } from './client.ts';

const product = await setUpProduct();
const workflows = await newWorkflowsClient(product);

const missing = failure(404, 'Workflow not found');
const taken = failure(400, 'Another workflow of this organization already has this name.');
const node = { id: 'a', type: 't', position: { x: 1, y: 2 } };
const later = () => new Date(Date.now() + 5_000);

test('An update takes the place of the properties sent, each whole, and leaves the others', async () => {
  const before = await workflows.created({
    description: 'Before',
    nodes: [node],
    settings: { a: 1, b: 2 },
    owner: 'x',
    enabled: true,
  });
  const at = later();
  const change = { description: 'After', settings: { a: 3 }, nodes: [], added: [1] };
  const { status, body } = await workflows.update(before._id, change, { at });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      success: true,
      message: 'Workflow updated, with 1 problem',
      data: { ...before, ...change, updatedAt: at.toISOString() },
    },
  });
  expect((await workflows.read(before._id)).body).toEqual({ success: true, data: body.data });
});

test('An update drops what only the service sets', async () => {
  const before = await workflows.created();
  const { status, body } = await workflows.update(before._id, {
    _id: 'other',
    organizationId: 'other',
    userId: 'other',
    createdAt: 'never',
    updatedAt: 'never',
  });
  expect({ status, data: body.data }).toEqual({ status: 200, data: before });
});

test('An update that changes nothing leaves updatedAt', async () => {
  const before = await workflows.created({ nodes: [node], extra: { a: 1 } });
  for (const same of [{}, { name: ` ${before.name} ` }, { nodes: [node] }, { extra: { a: 1 } }, before]) {
    expect(outcome(await workflows.update(before._id, same, { at: later() }))).toEqual({
      status: 200,
      body: { success: true, message: 'No changes, with 3 problems', data: before },
    });
  }
});

test('An update of the name frees the old one at once, and takes the new one', async () => {
  const one = await workflows.created({ name: 'Old name' });
  const other = await workflows.created({ name: 'Other name' });
  expect(outcome(await workflows.update(one._id, { name: 'Other name', description: 'x' }))).toEqual(taken);
  expect((await workflows.read(one._id)).body.data).toEqual(one);

  expectStatus(await workflows.update(one._id, { name: 'New name' }), 200);
  expectStatus(await workflows.update(other._id, { name: 'Old name' }), 200);
  expect((await workflows.create({ name: 'New name' })).status).toBe(400);
  expect((await workflows.create({ name: 'Old name' })).status).toBe(400);
  expect((await workflows.create({ name: 'Other name' })).status).toBe(201);
  expectStatus(await workflows.update(one._id, { name: 'NEW name' }), 200);
  expect((await workflows.create({ name: 'New name' })).status).toBe(201);
});

test('A toggle flips without a body, and sets what the body says', async () => {
  const before = await workflows.created({ nodes: [node], extra: 1 });
  const at = later();
  const flipped = await workflows.toggle(before._id, undefined, { at });
  const enabled = { ...before, enabled: true, updatedAt: at.toISOString() };
  expect(outcome(flipped)).toEqual({
    status: 200,
    body: { success: true, message: 'Workflow enabled, with 3 problems', data: enabled },
  });
  const again = await workflows.toggle(before._id, { enabled: true }, { at: new Date(at.getTime() + 1) });
  expect(outcome(again)).toEqual({
    status: 200,
    body: { success: true, message: 'The workflow is already enabled, with 3 problems', data: enabled },
  });
  const back = await workflows.toggle(before._id, '', { at });
  expect(back.body).toEqual({
    success: true,
    message: 'Workflow disabled, with 3 problems',
    data: { ...enabled, enabled: false },
  });
  expect((await workflows.read(before._id)).body.data).toEqual(back.body.data);
});

test.each(['true', 1, {}])('A toggle refuses %j', async (enabled) => {
  const before = await workflows.created();
  expect(outcome(await workflows.toggle(before._id, { enabled }))).toEqual(
    failure(400, 'enabled must be true or false'),
  );
  expect((await workflows.read(before._id)).body.data).toEqual(before);
});

test('A delete removes the workflow, and its name is free at once', async () => {
  const { _id } = await workflows.created({ name: 'Short-lived' });
  expect(outcome(await workflows.remove(_id))).toEqual({
    status: 200,
    body: { success: true, message: 'Workflow deleted' },
  });
  for (const response of [
    await workflows.read(_id),
    await workflows.update(_id, { description: 'x' }),
    await workflows.toggle(_id),
    await workflows.remove(_id),
  ]) {
    expect(outcome(response)).toEqual(missing);
  }
  const { _id: next } = await workflows.created({ name: 'Short-lived' });
  expect((await workflows.everything({ search: 'short-lived' })).map(({ _id }) => _id)).toEqual([next]);
});

test('The event of a change says which change it was, and of what, but not the graph', async () => {
  const own = await newWorkflowsClient(product);
  const { _id, ...record } = await own.created({ name: 'Watched', nodes: [node] });
  await arrange(
    own.update(_id, { description: 'x', nodes: [], viewport: { x: 1, y: 1, zoom: 1 }, extra: 1 }),
  );
  await arrange(own.update(_id, { description: 'x' }));
  await arrange(own.toggle(_id));
  await arrange(own.toggle(_id, { enabled: true }));
  await arrange(own.remove(_id));
  const events = await readEvents(product, own.admin.organizationId);
  const of = { workflowId: _id, userId: own.admin.userId, name: 'Watched', updatedAt: expect.any(String) };
  expect(record.name).toBe('Watched');
  expect(events.map(({ event, data }) => ({ event, data }))).toEqual(
    [
      { change: 'created', enabled: false, changed: [] },
      { change: 'updated', enabled: false, changed: ['description', 'nodes', 'viewport', 'extra'] },
      { change: 'toggled', enabled: true, changed: ['enabled'] },
      { change: 'deleted', enabled: true, changed: [] },
    ].map((data) => ({ event: 'workflow_updated', data: { ...of, ...data } })),
  );
  expect(new Set(events.map(({ audience }) => JSON.stringify(audience)))).toEqual(
    new Set([JSON.stringify({ kind: 'record', people: [own.admin.userId] })]),
  );
});

test('Events fit into a frame however many properties change', async () => {
  const own = await newWorkflowsClient(product);
  const { _id } = await own.created();
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`property-${n}`, n]));
  expectStatus(await own.update(_id, many), 200);
  const last = (await readEvents(product, own.admin.organizationId)).at(-1);
  expect(last?.data).toMatchObject({ workflowId: _id, change: 'updated' });
  expect(JSON.stringify(last).length).toBeLessThan(32 * 1024);
});
