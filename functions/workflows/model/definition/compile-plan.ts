import { toDigest } from '../../../../shared/table/digest.ts';
import { nodeTypeNamed, otherName } from './catalogue.ts';
import { type Graph, type GraphEdge, type GraphNode, parseGraph, sortedJson } from './graph.ts';
import { namesIn } from './named-fields.ts';
import { endingTopics, longestName, type Plan, type PlanNode, type Settings } from './plan.ts';
import { toSettings } from './settings.ts';
import type { Topic } from './topics.ts';

/**
 * The plan of a workflow.
 * @param document as it is stored. It may be a draft: whatever cannot be read is left out, and whatever cannot be run is skipped once a
 * run comes to it.
 */
export function compilePlan(document: string): Plan {
  return planOf(parseGraph(document));
}

/** The content of a document. */
export interface Compiled {
  readonly graph: Graph;
  readonly plan: Plan;
}

/** @param document as in `compilePlan`. */
export function compileDocument(document: string): Compiled {
  const graph = parseGraph(document);
  return { graph, plan: planOf(graph) };
}

/** A graph as runs need it. */
function planOf(graph: Graph): Plan {
  const nodes = planNodes(graph);
  const settings = toSettings(graph.settings);
  return {
    nodes: Object.fromEntries(nodes.map((node) => [node.id, node])),
    settings,
    awaits: topicsAwaited(nodes, settings),
    asks: stepsAskedFor(nodes),
  };
}

/** The same for plans that run alike: of graphs that differ only in positions, in the order of nodes, or beside the graph. */
export function planDigest({ nodes, settings, confirmed }: Plan): string {
  return toDigest(sortedJson({ nodes, settings, confirmed }));
}

/** The first of two nodes with one id counts. One whose id is too long is left out. */
function planNodes({ nodes, edges }: Graph): PlanNode[] {
  const outgoing = Map.groupBy(edges, ({ source }) => source);
  const first = new Map<string, GraphNode>(nodes.toReversed().map((node) => [node.id, node]));
  const counting = nodes.filter((node) => first.get(node.id) === node && node.id.length <= longestName);
  return counting.map(({ id, type, data }) => ({
    ...{ id, data },
    type: shortened(type),
    ways: targetsByBranch(outgoing.get(id)),
  }));
}

/** Two edges with the same ends and the same way count as one: otherwise everything after them would happen twice. */
function targetsByBranch(edges: readonly GraphEdge[] = []): Record<string, readonly string[]> {
  const byBranch = Map.groupBy(edges, ({ branch }) => branch);
  return Object.fromEntries(
    Array.from(byBranch, ([branch, those]) => [
      branch,
      [...new Set(those.map(({ target }) => shortened(target)))],
    ]),
  );
}

/** Replaces a name that is too long by one that no node and no type has. */
function shortened(name: string): string {
  return name.length <= longestName ? name : `${name.slice(0, longestName).toWellFormed()}…`;
}

function topicsAwaited(nodes: readonly PlanNode[], settings: Settings): Topic[] {
  const awaited = nodes.flatMap(({ type, data }) => nodeTypeNamed(type)?.awaits?.(data) ?? []);
  return [...new Set([...awaited, ...endingTopics({ settings })])].sort();
}

/** The existing nodes whose steps rules, texts or types of nodes ask for. */
function stepsAskedFor(nodes: readonly PlanNode[]): string[] {
  const asked = new Set(nodes.flatMap(({ data }) => [...namesIn(data).nodes]));
  const types = new Set(nodes.flatMap(({ type }) => nodeTypeNamed(type)?.asksStepsOf ?? []));
  return nodes
    .filter((node) => asked.has(node.id) || types.has(node.type) || asked.has(otherName(node) ?? ''))
    .map(({ id }) => id);
}
