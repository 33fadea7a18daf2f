import {
  decimalText,
  digitsIn,
  isExactNumber,
  isNumber,
  parseJson,
} from '../../../../shared/kernel/exact-numbers.ts';
import { normalized } from '../../../../shared/kernel/normal-form.ts';
import { nodeTypeNamed } from './catalogue.ts';
import { defaultBranch, findNode, type Plan, type PlanNode } from './plan.ts';

/** The graph in a workflow's document, as far as it can be read. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly settings: unknown;
}

export interface GraphNode {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface GraphEdge {
  readonly source: string;
  readonly target: string;
  /** Its `sourceHandle`; `defaultBranch` without one. */
  readonly branch: string;
}

/** @param document JSON of an object, as it is stored. What cannot be read is left out: a draft may be anything. Texts are in NFC. */
export function parseGraph(document: string): Graph {
  const { nodes, edges, settings } = objectFields(parseInNormalForm(document));
  return {
    nodes: listOf(nodes).flatMap(readNode),
    edges: listOf(edges).flatMap(readEdge),
    settings,
  };
}

function readNode(value: unknown): GraphNode[] {
  const { id, type, data } = objectFields(value);
  return typeof id === 'string' && typeof type === 'string' ? [{ id, type, data: objectFields(data) }] : [];
}

function readEdge(value: unknown): GraphEdge[] {
  const { source, target, sourceHandle } = objectFields(value);
  return typeof source === 'string' && typeof target === 'string'
    ? [{ source, target, branch: branchOf(sourceHandle) }]
    : [];
}

/** Builders write null for the only handle of a node, and numbers and booleans for those of values. */
function branchOf(sourceHandle: unknown): string {
  if (isNumber(sourceHandle)) {
    return digitsIn(sourceHandle);
  }
  return ['string', 'boolean'].includes(typeof sourceHandle) ? String(sourceHandle) : defaultBranch;
}

/** The fields of an object; none of anything else. */
export function objectFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The parts of JSON that may be in another form than NFC. */
const mayDiffer = /[^\0-\x7f]|\\u/;

/**
 * A JSON text as a value whose texts and keys are in NFC, as those of contacts and pipelines are: a document is kept as it was sent, with
 * `é` as one character or as two. Source: decisions 1, "Text".
 */
function parseInNormalForm(json: string): unknown {
  const value: unknown = parseJson(json);
  return mayDiffer.test(json) ? inNormalForm(value) : value;
}

function inNormalForm(value: unknown): unknown {
  if (typeof value === 'string') {
    return normalized(value);
  }
  if (Array.isArray(value)) {
    return value.map(inNormalForm);
  }
  if (typeof value !== 'object' || value === null || isExactNumber(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [normalized(key), inNormalForm(member)]),
  );
}

/**
 * JSON with the keys of every object in the order of the alphabet: the same for values that are the same. A node may have 100,000 keys, and
 * to make objects with sorted keys takes three times as long as to sort the keys.
 */
export function sortedJson(value: unknown): string {
  if (isNumber(value)) {
    return decimalText(digitsIn(value));
  }
  if (typeof value !== 'object' || value === null) {
    return JSON.stringify(value) ?? 'null';
  }
  if (Array.isArray(value)) {
    return `[${value.map(sortedJson).join()}]`;
  }
  const written: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (member !== undefined) {
      written.push(`${JSON.stringify(key)}:${sortedJson(member)}`);
    }
  }
  return `{${written.join()}}`;
}

/** Nodes that lead to each other in a circle without a wait. */
interface Loop {
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
