import { expect, test } from 'vitest';
import { operationNamed, parsedBody } from '../access/parsed-body.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { failure, outcome } from '../harness/tenants.ts';
import { newWorkflowsClient } from './client.ts';

const product = await setUpProduct();
const workflows = await newWorkflowsClient(product);

/** "Response 400: validation error or duplicate name, body {success: false, message: string}". */
async function expectRefused(body: unknown, message: RegExp | string): Promise<void> {
  const response = await workflows.create(body);
  expect(response.body).toEqual({
    success: false,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });
  expect(response.status).toBe(400);
}

const nodes = [
  { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, data: { event: 'application.created' } },
  { id: 'greet', type: 'sendMessage', position: { x: 0, y: 140.5 }, data: { template: 'welcome' } },
];
const edges = [{ id: 'e1', source: 'start', target: 'greet' }];

test('POST /api/workflows "Response 201: Workflow mutation response": success, message and the whole workflow of the caller', async () => {
  const at = new Date();
  const sent = {
    name: 'Welcome',
    description: 'Greets.',
    nodes,
    edges,
    viewport: { x: -10, y: 2.5, zoom: 0.75 },
    enabled: true,
  };
  const { status, body } = await workflows.create(sent, { at });
  expect(status).toBe(201);
  expect(Object.keys(body)).toEqual(['success', 'message', 'data']);
  // There is no template with this id.
  expect({ ...body, data: undefined }).toEqual({
    success: true,
    message: 'Workflow created, with 1 problem',
  });
  expect(body.data).toEqual({
    ...sent,
    _id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
    organizationId: workflows.admin.organizationId,
    userId: workflows.admin.userId,
    createdAt: at.toISOString(),
    updatedAt: at.toISOString(),
  });
  expect((await workflows.read(body.data._id)).body).toEqual({ success: true, data: body.data });
});

test('POST /api/workflows "default false on create", "default {x:0, y:0, zoom:1} when omitted": a name alone is enough', async () => {
  const { body } = await workflows.create({ name: 'Bare' });
  const { _id, organizationId, userId, createdAt, updatedAt, ...rest } = body.data;
  expect(rest).toEqual({
    name: 'Bare',
    description: '',
    nodes: [],
    edges: [],
    viewport: { x: 0, y: 0, zoom: 1 },
    enabled: false,
  });
});

test('POST /api/workflows "Additional properties are accepted on create and returned on read", in nodes and edges too', async () => {
  const extras = {
    tags: ['a'],
    version: 3,
    nothing: null,
    document: { of: 'mine' },
    success: 'yes',
    data: [],
    message: 1,
    nextCursor: {},
    version_: { deep: { deeper: [] } },
  };
  const graph = {
    nodes: [{ ...nodes[0], selected: true, position: { x: 1, y: 2, z: 3 } }],
    edges: [{ ...edges[0], animated: false, data: { when: null } }],
  };
  const { _id } = await workflows.created({ ...extras, ...graph });
  expect((await workflows.read(_id)).body.data).toMatchObject({ ...extras, ...graph });
});

test('POST /api/workflows "_id: assigned by the service", "set from the caller", "set by the service": a client’s word is dropped', async () => {
  const { status, body } = await workflows.create({
    name: 'Impostor',
    _id: 'mine',
    organizationId: 'theirs',
    userId: 7,
    createdAt: '2001-01-01T00:00:00.000Z',
    updatedAt: null,
  });
  expect(status).toBe(201);
  expect(body.data).toMatchObject({
    organizationId: workflows.admin.organizationId,
    userId: workflows.admin.userId,
    createdAt: body.data.updatedAt,
  });
  expect(body.data._id).not.toBe('mine');
  expect(body.data.createdAt).not.toMatch(/^2001/);
});

test('POST /api/workflows takes unfinished graphs as drafts: dangling edges, no trigger, unknown types, one id twice', async () => {
  const drafts = [
    { edges: [{ id: 'e', source: 'nowhere', target: '' }] },
    { nodes: [{ id: '', type: '', position: { x: 0, y: 0 } }] },
    { nodes: [nodes[1], nodes[1], { id: 'x', type: 'somethingNew', position: { x: 0, y: 0 }, data: {} }] },
  ];
  for (const draft of drafts) {
    expect(await workflows.created(draft)).toMatchObject(draft);
  }
});

test('A name is "unique within the caller’s organization": another workflow of it is refused, another organization’s is not', async () => {
  const first = await workflows.created({ name: 'Unique' });
  await expectRefused({ name: 'Unique' }, 'Another workflow of this organization already has this name.');
  const colleague = await product.newColleague(workflows.admin);
  const response = await product.call('create-workflow', {
    token: colleague.token,
    body: { name: 'Unique' },
  });
  expect(outcome(response)).toEqual(
    failure(400, 'Another workflow of this organization already has this name.'),
  );
  expect((await (await newWorkflowsClient(product)).create({ name: 'Unique' })).status).toBe(201);
  expect((await workflows.everything({ search: 'unique' })).map(({ _id }) => _id)).toEqual([first._id]);
});

test('A name is trimmed, in NFC, and compared case-sensitively', async () => {
  const spelled = await workflows.created({ name: ' \u00a0Cafe\u0301 \n' });
  expect(spelled.name).toBe('Café');
  await expectRefused({ name: 'Café' }, /this name/);
  await expectRefused({ name: '\tCafe\u0301' }, /this name/);
  expect((await workflows.create({ name: 'CAFÉ' })).status).toBe(201);
  // Alike, but no canonical equivalents.
  expect((await workflows.create({ name: 'ﬁlter' })).status).toBe(201);
  expect((await workflows.create({ name: 'filter' })).status).toBe(201);
});

test('A name may be anything else, also what keys and methods are called', async () => {
  for (const name of ['a#b', '../x', 'constructor', '__proto__', '"quoted"', '💬 '.repeat(3)]) {
    const { _id } = await workflows.created({ name });
    expect((await workflows.read(_id)).body.data.name).toBe(name.trim());
    expect((await workflows.create({ name })).status).toBe(400);
  }
});

const node = (more: object) => ({ nodes: [nodes[0], { ...nodes[1], ...more }] });
const edge = (more: object) => ({ edges: [{ ...edges[0], ...more }] });
test.each<[object, string]>([
  [{ name: undefined }, 'name is required'],
  [{ name: '' }, 'name must not be empty'],
  [{ name: ' \u3000\t' }, 'name must not be empty'],
  [{ name: '\u0000\u200b\u00ad' }, 'name must not be empty'],
  [{ name: null }, 'name must be a string'],
  [{ name: ['a'] }, 'name must be a string'],
  [{ description: 1 }, 'description must be a string'],
  [{ enabled: 'yes' }, 'enabled must be true or false'],
  [{ nodes: {} }, 'nodes must be an array'],
  [{ nodes: ['start'] }, 'nodes[0] must be an object'],
  [{ nodes: [[]] }, 'nodes[0] must be an object'],
  [node({ id: undefined }), 'nodes[1].id is required'],
  [node({ id: 1 }), 'nodes[1].id must be a string'],
  [node({ type: undefined }), 'nodes[1].type is required'],
  [node({ type: null }), 'nodes[1].type must be a string'],
  [node({ position: undefined }), 'nodes[1].position is required'],
  [node({ position: [0, 0] }), 'nodes[1].position must be an object'],
  [node({ position: { x: 0 } }), 'nodes[1].position.y is required'],
  [node({ position: { x: '0', y: 0 } }), 'nodes[1].position.x must be a number'],
  [node({ data: 'text' }), 'nodes[1].data must be an object'],
  [node({ data: [] }), 'nodes[1].data must be an object'],
  [{ edges: 'none' }, 'edges must be an array'],
  [{ edges: [null] }, 'edges[0] must be an object'],
  [edge({ id: undefined }), 'edges[0].id is required'],
  [edge({ source: 1 }), 'edges[0].source must be a string'],
  [edge({ target: undefined }), 'edges[0].target is required'],
  [{ viewport: [] }, 'viewport must be an object'],
  [{ viewport: { x: 0, y: 0 } }, 'viewport.zoom is required'],
  [{ viewport: { x: 0, y: null, zoom: 1 } }, 'viewport.y must be a number'],
  [{ viewport: {} }, 'viewport.x is required; viewport.y is required; viewport.zoom is required'],
  [{ viewport: { x: 0, y: 0, zoom: 1, pitch: 2 } }, 'viewport takes only x, y and zoom'],
])('A workflow with %j is refused with what is wrong with it', async (more, message) => {
  expect(await parsedBody(operationNamed('create-workflow'), { name: 'Welcome', ...more })).toBe(message);
});

test('"nodes: at most 10,000", "edges: at most 20,000": one more is refused', async () => {
  const manyNodes = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ id: `${n}`, type: 't', position: { x: 0, y: 0 } }));
  const manyEdges = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ id: `${n}`, source: 'a', target: 'b' }));
  const { _id } = await workflows.created({ nodes: manyNodes(10_000), edges: manyEdges(20_000) });
  const { body } = await workflows.read(_id);
  expect([body.data.nodes.length, body.data.edges.length]).toEqual([10_000, 20_000]);
  await expectRefused({ name: 'N', nodes: manyNodes(10_001) }, 'nodes must have at most 10000 items');
  await expectRefused({ name: 'N', edges: manyEdges(20_001) }, 'edges must have at most 20000 items');
  expect((await workflows.update(_id, { nodes: manyNodes(10_001) })).status).toBe(400);
});
