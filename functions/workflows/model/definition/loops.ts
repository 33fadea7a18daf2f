import { nodeTypeNamed } from './catalogue.ts';
import type { Plan, PlanNode } from './plan.ts';
import { findNode } from './plan.ts';

/** Nodes that lead to each other in a circle without a wait. */
export interface Loop {
  readonly nodeIds: readonly string[];
  /** Whether an edge leads out of it. */
  readonly hasExit: boolean;
}

/** All circles of a plan that a run could go round at once. Nodes that share a circle are one loop. */
export function loopsWithoutWait(plan: Plan): Loop[] {
  const quick = new Set(
    Object.values(plan.nodes)
      .filter(({ type }) => nodeTypeNamed(type)?.waits !== true)
      .map(({ id }) => id),
  );
  const quickTargets = (id: string) => targetsFrom(findNode(plan, id)).filter((target) => quick.has(target));
  return components([...quick], quickTargets)
    .filter(([first = '', ...others]) => others.length > 0 || quickTargets(first).includes(first))
    .map((nodeIds) => {
      const inside = new Set(nodeIds);
      const targets = nodeIds.flatMap((id) => targetsFrom(findNode(plan, id)));
      return { nodeIds, hasExit: targets.some((target) => !inside.has(target)) };
    });
}

function targetsFrom(node: PlanNode | undefined): string[] {
  return node === undefined ? [] : Object.values(node.ways).flat();
}

/**
 * The strongly connected components of a graph, without recursion: a graph may be 10,000 nodes deep. Source: Tarjan, "Depth-first
 * search and linear graph algorithms".
 */
function components(ids: readonly string[], targetsOf: (id: string) => readonly string[]): string[][] {
  const found: string[][] = [];
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const onPath = new Set<string>();
  const lower = (id: string, number: number) => lowest.set(id, Math.min(lowest.get(id) ?? number, number));
  const enter = (id: string) => {
    index.set(id, index.size);
    lower(id, index.size - 1);
    path.push(id);
    onPath.add(id);
    return { id, targets: targetsOf(id), next: 0 };
  };
  const leave = (id: string) => {
    if (lowest.get(id) !== index.get(id)) {
      return;
    }
    const component = path.splice(path.lastIndexOf(id));
    for (const member of component) {
      onPath.delete(member);
    }
    found.push(component);
  };
  for (const root of ids) {
    const visits = index.has(root) ? [] : [enter(root)];
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const target = visit.targets[visit.next];
      visit.next += 1;
      if (target === undefined) {
        visits.pop();
        leave(visit.id);
        const parent = visits.at(-1);
        if (parent !== undefined) {
          lower(parent.id, lowest.get(visit.id) ?? 0);
        }
      } else if (!index.has(target)) {
        visits.push(enter(target));
      } else if (onPath.has(target)) {
        lower(visit.id, index.get(target) ?? 0);
      }
    }
  }
  return found;
}
