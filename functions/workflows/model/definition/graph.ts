import { digitsIn, isNumber } from '../../../../shared/kernel/exact-numbers.ts';
import { parsedInNormalForm } from './normal-form.ts';
import { defaultWay } from './plan.ts';

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
  /** Its `sourceHandle`; `defaultWay` without one. */
  readonly way: string;
}

/** @param document JSON of an object, as it is stored. What cannot be read is left out: a draft may be anything. Texts are in NFC. */
export function graphOf(document: string): Graph {
  const { nodes, edges, settings } = fieldsOf(parsedInNormalForm(document));
  return {
    nodes: listOf(nodes).flatMap(readNode),
    edges: listOf(edges).flatMap(readEdge),
    settings,
  };
}

function readNode(value: unknown): GraphNode[] {
  const { id, type, data } = fieldsOf(value);
  return typeof id === 'string' && typeof type === 'string' ? [{ id, type, data: fieldsOf(data) }] : [];
}

function readEdge(value: unknown): GraphEdge[] {
  const { source, target, sourceHandle } = fieldsOf(value);
  return typeof source === 'string' && typeof target === 'string'
    ? [{ source, target, way: wayOf(sourceHandle) }]
    : [];
}

/** Builders write null for the only handle of a node, and numbers and booleans for those of values. */
function wayOf(sourceHandle: unknown): string {
  if (isNumber(sourceHandle)) {
    return digitsIn(sourceHandle);
  }
  return ['string', 'boolean'].includes(typeof sourceHandle) ? String(sourceHandle) : defaultWay;
}

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
