import { expect, test } from 'vitest';
import { compilePlan, planDigest } from '../../../functions/workflows/model/definition/compile-plan.ts';
import { edgeTargets, findNode } from '../../../functions/workflows/model/definition/plan.ts';
import { readableTriggers } from '../../../functions/workflows/model/definition/triggers.ts';
import { minute } from '../../../shared/kernel/time.ts';

const planOf = (document: unknown) => compilePlan(JSON.stringify(document));

const filter = [{ field: 'event.source', operator: 'equals', value: 'web' }];

const document = {
  nodes: [
    {
      id: 'b',
      type: 'trigger',
      position: { x: 0, y: 0 },
      data: { event: 'contact.created', filter, match: 'any' },
    },
    { id: 'a', type: 'addNote', position: { x: 0, y: 0 }, data: { note: 'Hi {{ step.x.y.way | there }}' } },
    { id: 'x.y', type: 'waitForEvent', data: { event: 'call.missed', timeout: { value: 1, unit: 'days' } } },
    { id: 'c', type: 'condition', data: { rules: [{ field: 'step.a.noteId', operator: 'exists' }] } },
  ],
  edges: [
    { id: '1', source: 'b', target: 'x.y', sourceHandle: null },
    { id: '2', source: 'b', target: 'x.y' },
    { id: '3', source: 'b', target: 'a', sourceHandle: '' },
    { id: '4', source: 'x.y', target: 'a', sourceHandle: 'received' },
    { id: '5', source: 'x.y', target: 'gone', sourceHandle: 7 },
    { id: '6', source: 'gone', target: 'a' },
  ],
  settings: {
    goal: { event: 'contact.stage_changed' },
    stopOnReply: true,
    rate: { value: 5, unit: 'minute' },
  },
};

test('A plan has the ways of each node, each target of a way once, and no positions', () => {
  expect(planOf(document).nodes).toEqual({
    b: { id: 'b', type: 'trigger', data: document.nodes[0]?.data, ways: { '': ['x.y', 'a'] } },
    a: { id: 'a', type: 'addNote', data: document.nodes[1]?.data, ways: {} },
    'x.y': {
      id: 'x.y',
      type: 'waitForEvent',
      data: document.nodes[2]?.data,
      ways: { received: ['a'], 7: ['gone'] },
    },
    c: { id: 'c', type: 'condition', data: document.nodes[3]?.data, ways: {} },
  });
});

test('A plan knows what its runs listen to, and whose steps they ask for', () => {
  const { awaits, asks } = planOf(document);
  expect(awaits).toEqual(['call.missed', 'contact.stage_changed', 'message.received']);
  expect(asks).toEqual(['a', 'x.y']);
});

test('Settings have defaults for what is missing or cannot be read, each for itself', () => {
  const settingsOf = (settings: unknown) => planOf({ settings }).settings;
  const usual = {
    ...{ reentry: 'after_finish', stopOnReply: false, window: 'any' },
    rate: { value: 300, milliseconds: minute },
  };
  for (const settings of [
    undefined,
    null,
    7,
    'x',
    [],
    { reentry: 1, goal: {}, rate: { value: -1, unit: 'day' } },
  ]) {
    expect(settingsOf(settings)).toEqual(usual);
  }
  expect(
    settingsOf({ reentry: 'never', window: 'x', rate: { value: 2, unit: 'hours' }, goal: null }),
  ).toEqual({
    ...usual,
    ...{ reentry: 'never', rate: { value: 2, milliseconds: 60 * minute } },
  });
  expect(planOf(document).settings.goal).toEqual({
    topic: 'contact.stage_changed',
    filter: [],
    match: 'all',
  });
});

test('Triggers are those that can be read: one with a filter that cannot would start runs for everybody', () => {
  expect(readableTriggers(planOf(document))).toEqual([
    { nodeId: 'b', topic: 'contact.created', filter, match: 'any' },
  ]);
  const trigger = (data: unknown) => ({ id: JSON.stringify(data), type: 'trigger', data });
  const nodes = [
    trigger({ event: 'contact.won' }),
    trigger({}),
    trigger(undefined),
    trigger({ event: 'note.created', filter: [{ field: 'x', operator: 'equals' }] }),
    trigger({ event: 'note.created', filter: 'all' }),
    trigger({ event: 'note.created', match: 'some' }),
    trigger({ event: 'note.created', filter: null, label: 'A note' }),
  ];
  expect(readableTriggers(planOf({ nodes })).map(({ topic }) => topic)).toEqual(['note.created']);
});

test('Plans are the same when only positions, the order of nodes and keys, or what is beside the graph differ', () => {
  const { nodes, edges, settings } = document;
  const digest = planDigest(planOf(document));
  const reordered = nodes.toReversed().map(({ id, type, data }) => ({
    data: Object.fromEntries(Object.entries(data).toReversed()),
    type,
    id,
    position: { x: 9, y: 9 },
  }));
  expect(planDigest(planOf({ settings, nodes: reordered, edges, tags: ['x'], viewport: {} }))).toBe(digest);
  expect(planDigest(planOf({ ...document, edges: edges.slice(1) }))).toBe(digest);
  expect(planDigest(planOf({ ...document, edges: edges.slice(0, 3) }))).not.toBe(digest);
  expect(planDigest(planOf({ ...document, nodes: nodes.slice(1) }))).not.toBe(digest);
  expect(planDigest(planOf({ ...document, settings: {} }))).not.toBe(digest);
  const changed = nodes.with(1, { ...nodes[1], data: { note: 'Bye' } } as never);
  expect(planDigest(planOf({ ...document, nodes: changed }))).not.toBe(digest);
});

test.each([
  '{}',
  '{"nodes":null,"edges":7}',
  '{"nodes":[null,1,[],{},{"id":1,"type":"x"},{"id":"x"}],"edges":[null,{},{"source":"x"},{"source":1,"target":2}]}',
])('A draft %s has an empty plan', (text) => {
  expect(compilePlan(text)).toMatchObject({ nodes: {}, awaits: [], asks: [] });
});

test('Names that every object has are names like others', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  const nodes = names.map((id) => ({ id, type: 'delay', data: { id } }));
  const edges = names.map((name) => ({ source: '__proto__', target: name, sourceHandle: name }));
  const plan = compilePlan(JSON.stringify({ nodes, edges }));
  const again = JSON.parse(JSON.stringify(plan));
  for (const name of names) {
    expect(findNode(again, name)?.data).toEqual({ id: name });
    expect(edgeTargets(findNode(again, '__proto__') as never, name)).toEqual([name]);
  }
  expect(findNode(compilePlan('{}'), 'constructor')).toBeUndefined();
  expect(findNode(compilePlan('{}'), '__proto__')).toBeUndefined();
});

test('Of two nodes with one id, the first counts', () => {
  const nodes = ['first', 'second'].map((type) => ({ id: 'a', type }));
  expect(findNode(planOf({ nodes }), 'a')?.type).toBe('first');
});
