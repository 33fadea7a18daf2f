import { expect, test } from 'vitest';
import { compilePlan } from '../../../functions/workflows/model/definition/compile-plan.ts';
import { parseGraph } from '../../../functions/workflows/model/definition/graph.ts';
import { graphProblems } from '../../../functions/workflows/model/definition/graph-problems.ts';
import { maxProblems } from '../../../functions/workflows/model/definition/problem.ts';

test('The data of nodes beyond the problems that are reported is not read', () => {
  const document = JSON.stringify({
    nodes: Array.from({ length: 3 * maxProblems }, (_, n) => ({
      id: `n${n}`,
      type: 'addNote',
      position: { x: 0, y: 0 },
      data: { note: n },
    })),
  });
  const plan = compilePlan(document);
  const read = new Set<string>();
  const nodes = Object.values(plan.nodes).map((node) => ({
    ...node,
    data: new Proxy(node.data, {
      get(target, name, receiver) {
        read.add(node.id);
        return Reflect.get(target, name, receiver);
      },
    }),
  }));
  const counted = { ...plan, nodes: Object.fromEntries(nodes.map((node) => [node.id, node])) };
  expect(graphProblems(parseGraph(document), counted)).toHaveLength(maxProblems);
  expect(read.size).toBeLessThanOrEqual(maxProblems);
});

test('A step with 100,000 keys that its type does not know is checked by looking at each a few times', () => {
  const data = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`key${n}`, n]));
  const nodes = [{ id: 'step', type: 'updateContact', position: { x: 0, y: 0 }, data }];
  const document = JSON.stringify({ nodes });
  const [graph, plan] = [parseGraph(document), compilePlan(document)];
  const { step } = plan.nodes;
  let looks = 0;
  const counted = new Proxy(step?.data ?? {}, {
    get(target, name, receiver) {
      looks += 1;
      return Reflect.get(target, name, receiver);
    },
    getOwnPropertyDescriptor(target, name) {
      looks += 1;
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
  });
  const nodesOfPlan = { step: { ...step, data: counted } } as typeof plan.nodes;
  const problems = graphProblems(graph, { ...plan, nodes: nodesOfPlan });
  expect(problems.map(({ severity }) => severity)).toContain('error');
  expect(looks).toBeLessThan(300_000);
});
