import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf } from '../contacts/desk.ts';
import { type Product, startProduct } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';
import { newStudio, type Studio } from './studio.ts';

let product: Product;
let studio: Studio;
beforeAll(async () => {
  product = await startProduct();
  studio = await newStudio(product);
});
afterAll(() => product.stop());

const missing = { status: 404, body: { success: false, message: 'Workflow not found' } };
const taken = {
  status: 400,
  body: { success: false, message: 'Another workflow of this organization already has this name.' },
};
const node = { id: 'a', type: 't', position: { x: 1, y: 2 } };
const later = () => new Date(Date.now() + 5_000);

describe('an update', () => {
  it('takes the place of the properties sent, each whole, and leaves the others', async () => {
    const before = await studio.created({
      description: 'Before',
      nodes: [node],
      settings: { a: 1, b: 2 },
      owner: 'x',
      enabled: true,
    });
    const at = later();
    const change = { description: 'After', settings: { a: 3 }, nodes: [], added: [1] };
    const { status, body } = await studio.update(before._id, change, { at });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        message: 'Workflow updated',
        data: { ...before, ...change, updatedAt: at.toISOString() },
      },
    });
    expect((await studio.read(before._id)).body).toEqual({ success: true, data: body.data });
  });

  it('keeps null as the value of a further property, and refuses it for the others', async () => {
    const before = await studio.created({ note: 'x', edges: [{ id: 'e', source: 'a', target: 'b' }] });
    const { body } = await studio.update(before._id, { note: null });
    expect(body.data).toMatchObject({ note: null });
    for (const field of ['name', 'description', 'nodes', 'edges', 'viewport', 'enabled']) {
      const answer = await studio.update(before._id, { [field]: null });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toMatch(new RegExp(`^${field} must be `));
    }
    expect((await studio.read(before._id)).body.data).toEqual(body.data);
  });

  it('drops what only the service sets', async () => {
    const before = await studio.created();
    const { status, body } = await studio.update(before._id, {
      _id: 'other',
      organizationId: 'other',
      userId: 'other',
      createdAt: 'never',
      updatedAt: 'never',
    });
    expect({ status, data: body.data }).toEqual({ status: 200, data: before });
  });

  it('that changes nothing leaves updatedAt', async () => {
    const before = await studio.created({ nodes: [node], extra: { a: 1 } });
    for (const same of [{}, { name: ` ${before.name} ` }, { nodes: [node] }, { extra: { a: 1 } }, before]) {
      const { status, body } = await studio.update(before._id, same, { at: later() });
      expect({ status, body }).toEqual({
        status: 200,
        body: { success: true, message: 'No changes', data: before },
      });
    }
  });

  it('of the name frees the old one at once, and takes the new one', async () => {
    const one = await studio.created({ name: 'Old name' });
    const other = await studio.created({ name: 'Other name' });
    const refused = await studio.update(one._id, { name: 'Other name', description: 'x' });
    expect({ status: refused.status, body: refused.body }).toEqual(taken);
    expect((await studio.read(one._id)).body.data).toEqual(one);

    expectStatus(await studio.update(one._id, { name: 'New name' }), 200);
    expectStatus(await studio.update(other._id, { name: 'Old name' }), 200);
    expect((await studio.create({ name: 'New name' })).status).toBe(400);
    expect((await studio.create({ name: 'Old name' })).status).toBe(400);
    expect((await studio.create({ name: 'Other name' })).status).toBe(201);
    expectStatus(await studio.update(one._id, { name: 'NEW name' }), 200);
    expect((await studio.create({ name: 'New name' })).status).toBe(201);
  });
});

describe('a toggle', () => {
  it('flips without a body, and sets what the body says', async () => {
    const before = await studio.created({ nodes: [node], extra: 1 });
    const at = later();
    const flipped = await studio.toggle(before._id, undefined, { at });
    const enabled = { ...before, enabled: true, updatedAt: at.toISOString() };
    expect({ status: flipped.status, body: flipped.body }).toEqual({
      status: 200,
      body: { success: true, message: 'Workflow enabled', data: enabled },
    });
    const again = await studio.toggle(before._id, { enabled: true }, { at: new Date(at.getTime() + 1) });
    expect({ status: again.status, body: again.body }).toEqual({
      status: 200,
      body: { success: true, message: 'The workflow is already enabled', data: enabled },
    });
    const back = await studio.toggle(before._id, '', { at });
    expect(back.body).toEqual({
      success: true,
      message: 'Workflow disabled',
      data: { ...enabled, enabled: false },
    });
    expect((await studio.read(before._id)).body.data).toEqual(back.body.data);
  });

  it.each([null, 'true', 1, {}])('refuses %j', async (enabled) => {
    const before = await studio.created();
    const { status, body } = await studio.toggle(before._id, { enabled });
    expect({ status, body }).toEqual({
      status: 400,
      body: { success: false, message: 'enabled must be true or false' },
    });
    expect((await studio.read(before._id)).body.data).toEqual(before);
  });
});

describe('a delete', () => {
  it('removes the workflow, and its name is free at once', async () => {
    const { _id } = await studio.created({ name: 'Short-lived' });
    const { status, body } = await studio.remove(_id);
    expect({ status, body }).toEqual({ status: 200, body: { success: true, message: 'Workflow deleted' } });
    for (const answer of [
      await studio.read(_id),
      await studio.update(_id, { description: 'x' }),
      await studio.toggle(_id),
      await studio.remove(_id),
    ]) {
      expect({ status: answer.status, body: answer.body }).toEqual(missing);
    }
    const { _id: next } = await studio.created({ name: 'Short-lived' });
    expect((await studio.everything({ search: 'short-lived' })).map(({ _id }) => _id)).toEqual([next]);
  });
});

describe('what is no workflow', () => {
  it.each(['01JZZZZZZZZZZZZZZZZZZZZZZZ', '../../etc', 'a#b', 'x'.repeat(129), 'all', 'DOCUMENT', '-'])(
    'reads as one that is missing: %s',
    async (id) => {
      for (const answer of [
        await studio.read(id),
        await studio.update(id, {}),
        await studio.toggle(id),
        await studio.remove(id),
      ]) {
        expect({ status: answer.status, body: answer.body }).toEqual(missing);
      }
    },
  );
});

describe('events', () => {
  it('tell of every change which one it was, and of what, but not the graph', async () => {
    const own = await newStudio(product);
    const { _id, ...record } = await own.created({ name: 'Watched', nodes: [node] });
    await own.update(_id, { description: 'x', nodes: [], viewport: { x: 1, y: 1, zoom: 1 }, extra: 1 });
    await own.update(_id, { description: 'x' });
    await own.toggle(_id);
    await own.toggle(_id, { enabled: true });
    await own.remove(_id);
    const events = await eventsOf(product, own.admin.organizationId);
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

  it('fit into a frame however many properties change', async () => {
    const own = await newStudio(product);
    const { _id } = await own.created();
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`property-${n}`, n]));
    expectStatus(await own.update(_id, many), 200);
    const last = (await eventsOf(product, own.admin.organizationId)).at(-1);
    expect(last?.data).toMatchObject({ workflowId: _id, change: 'updated' });
    expect(JSON.stringify(last).length).toBeLessThan(32 * 1024);
  });
});
