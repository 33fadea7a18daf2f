import type { Plan } from './plan.ts';

/** The nodes that edges lead to each node from. A plan never changes, and its tokens ask for it with each step. */
const sources = new WeakMap<Plan, ReadonlyMap<string, readonly string[]>>();
const before = new WeakMap<Plan, Map<string, ReadonlySet<string>>>();

/** The nodes from which at least one edge leads to this one, at once or through others: itself too, if it is in a circle. */
export function nodesBefore(plan: Plan, nodeId: string): ReadonlySet<string> {
  const known = before.get(plan) ?? new Map<string, ReadonlySet<string>>();
  before.set(plan, known);
  const nodes = known.get(nodeId) ?? found(sourcesOf(plan), nodeId);
  known.set(nodeId, nodes);
  return nodes;
}

function sourcesOf(plan: Plan): ReadonlyMap<string, readonly string[]> {
  const known = sources.get(plan);
  if (known !== undefined) {
    return known;
  }
  const edges = Object.values(plan.nodes).flatMap(({ id, ways }) =>
    Object.values(ways).flatMap((targets) => targets.map((target) => ({ source: id, target }))),
  );
  const made = new Map(
    Array.from(
      Map.groupBy(edges, ({ target }) => target),
      ([target, those]) => [target, those.map(({ source }) => source)] as const,
    ),
  );
  sources.set(plan, made);
  return made;
}

function found(edgesTo: ReadonlyMap<string, readonly string[]>, nodeId: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [nodeId];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const source of edgesTo.get(next) ?? []) {
      if (!seen.has(source)) {
        seen.add(source);
        open.push(source);
      }
    }
  }
  return seen;
}
