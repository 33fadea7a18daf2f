import { expect } from 'vitest';
import type { Person } from '../harness/product.ts';
import type { Tenants } from '../harness/tenants.ts';
import { newWorkflow } from './client.ts';

/** The time of simulations. */
export const at = '2027-01-15T09:00:00.000Z';

const position = { x: 0, y: 0 };

/** A trigger node that somebody starts by hand. */
export const manual = { type: 'trigger', data: { event: 'manual.started' } };

/** A graph of the nodes and edges by name: `from to` or `from way to`. */
export function graphWith(nodes: Record<string, { type: string; data?: object }>, edges: readonly string[]) {
  return {
    nodes: Object.entries(nodes).map(([id, { type, data = {} }]) => ({ id, type, data, position })),
    edges: edges.map((text, index) => {
      const [source = '', ...rest] = text.split(' ');
      const [target = '', sourceHandle] = rest.reverse();
      return { id: `e${index}`, source, target, ...(sourceHandle !== undefined && { sourceHandle }) };
    }),
  };
}

/** Simulates workflows of `rep`. */
export function simulationsIn(tenants: Tenants) {
  const { product, rep } = tenants;

  function simulate(workflowId: string, body: Record<string, unknown> = {}, person: Person = rep) {
    return product.call('simulate-workflow', {
      token: person.token,
      path: { id: workflowId },
      body: { topic: 'manual.started', at, ...body },
    });
  }

  /** The simulation of a workflow that is not enabled. */
  async function simulated(graph: object, body: Record<string, unknown> = {}) {
    const { _id } = await newWorkflow(tenants, { ...graph });
    const response = await simulate(_id, body);
    expect(response.status, response.text).toBe(200);
    return response.body.data;
  }

  return { simulate, simulated };
}
