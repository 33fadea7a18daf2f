import { remember } from '../../../../shared/kernel/remember.ts';
import type { Plan } from '../definition/plan.ts';

/** Nodes of a plan. */
export interface NodesBefore {
  has(nodeId: string): boolean;
}

/** The edges of a plan, backwards. Nodes go by their places in it, which take less memory than their ids. */
interface Backwards {
  readonly places: ReadonlyMap<string, number>;
  /** The places that edges lead from to each place. */
  readonly sources: readonly (readonly number[])[];
  readonly known: Map<string, NodesBefore>;
}

/** Cached joins of a plan: as many as the tokens of one run can wait at. A plan may have thousands, and a process caches many plans. */
const capacity = 50;

/** Cached, because a plan never changes and each step of its tokens needs this. */
const backwards = new WeakMap<Plan, Backwards>();

/** The nodes from which at least one edge leads to this one, at once or through others: itself too, if it is in a circle. */
export function nodesBefore(plan: Plan, nodeId: string): NodesBefore {
  const graph = backwards.get(plan) ?? backwardsOf(plan);
  backwards.set(plan, graph);
  const nodes = graph.known.get(nodeId) ?? found(graph, nodeId);
  remember(graph.known, nodeId, nodes, capacity);
  return nodes;
}

function backwardsOf({ nodes }: Plan): Backwards {
  const all = Object.values(nodes);
  const places = new Map(all.map(({ id }, place) => [id, place]));
  const sources: number[][] = all.map(() => []);
  for (const [place, { ways }] of all.entries()) {
    for (const target of Object.values(ways).flat()) {
      sources[places.get(target) ?? -1]?.push(place);
    }
  }
  return { places, sources, known: new Map() };
}

function found({ places, sources }: Backwards, nodeId: string): NodesBefore {
  const seen = new Uint8Array(sources.length);
  const open = [places.get(nodeId) ?? -1];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const source of sources[next] ?? []) {
      if (seen[source] === 0) {
        seen[source] = 1;
        open.push(source);
      }
    }
  }
  return { has: (id) => seen[places.get(id) ?? -1] === 1 };
}
