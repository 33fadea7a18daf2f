import { expect, test } from 'vitest';
import { compilePlan } from '../../../functions/workflows/model/definition/compile-plan.ts';
import { nodesBefore } from '../../../functions/workflows/model/execution/joins.ts';

const count = 200;
const ids = Array.from({ length: count }, (_, n) => `n${n}`);

/** Each leads to the next one, the last to the middle, and some to a node that does not exist. */
const plan = compilePlan(
  JSON.stringify({
    nodes: ids.map((id) => ({ id, type: 'stop', position: { x: 0, y: 0 } })),
    edges: [
      ...ids.slice(1).map((target, n) => ({ id: `e${n}`, source: `n${n}`, target })),
      { id: 'back', source: `n${count - 1}`, target: `n${count / 2}` },
      { id: 'nowhere', source: 'n3', target: 'missing' },
    ],
  }),
);

const before = (nodeId: string) => ids.filter((id) => nodesBefore(plan, nodeId).has(id));

test('The nodes before a node are those that lead to it, and in a circle it is one of them', () => {
  expect(before('n0')).toEqual([]);
  expect(before('n5')).toEqual(ids.slice(0, 5));
  expect(before(`n${count / 2}`)).toEqual(ids);
  expect(before('missing')).toEqual([]);
  expect(nodesBefore(plan, 'n5').has('missing')).toBe(false);
});
