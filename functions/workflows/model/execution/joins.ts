import { remember } from '../../../../shared/kernel/remember.ts';
import type { Plan } from '../definition/plan.ts';
import type { Run, Token } from '../runs/run.ts';

/**
 * A node with `join: 'all'` waits for every token of the run that can still come to it; then all tokens that have come go on as one. If
 * all tokens wait at joins, each for another one, the join of the lowest token passes.
 */

/** Whether a token waits at a join. */
function waitsAtJoin({ wait }: Token): boolean {
  return wait !== undefined && wait.until === undefined && wait.ended === undefined;
}

/** Whether a token that has come to a join is the last one. */
export function passesJoin(plan: Plan, { tokens }: Pick<Run, 'tokens'>, token: Token): boolean {
  return (
    token.joined === true ||
    !isAwaited(
      plan,
      token.nodeId,
      tokens.filter(({ n }) => n !== token.n),
    )
  );
}

/** Removes the tokens that wait at the same join as this one, which goes on for all of them. */
export function mergedTokens(tokens: readonly Token[], { n, nodeId }: Token): readonly Token[] {
  return tokens.filter((other) => other.n === n || other.nodeId !== nodeId || !waitsAtJoin(other));
}

/** The tokens after passing each join that has nothing left to wait for. */
export function settledTokens(plan: Plan, tokens: readonly Token[]): readonly Token[] {
  const waiting = tokens.filter(waitsAtJoin);
  const joins = [...new Set(waiting.map(({ nodeId }) => nodeId))];
  const free = joins.filter((nodeId) => !isAwaited(plan, nodeId, tokens));
  const [lowest] = waiting.toSorted((token, other) => token.n - other.n);
  const stuck = free.length === 0 && waiting.length === tokens.length && lowest !== undefined;
  return (stuck ? [lowest.nodeId] : free).reduce(released, tokens);
}

/** Whether one of the tokens can still come to this join. */
function isAwaited(plan: Plan, join: string, tokens: readonly Token[]): boolean {
  return tokens.some((token) =>
    token.nodeId === join && !token.joined ? !waitsAtJoin(token) : nodesBefore(plan, join).has(token.nodeId),
  );
}

function released(tokens: readonly Token[], join: string): readonly Token[] {
  const there = tokens.filter((token) => token.nodeId === join && waitsAtJoin(token));
  const lowest = Math.min(...there.map(({ n }) => n));
  return tokens
    .filter((token) => !there.includes(token) || token.n === lowest)
    .map((token) => (token.n === lowest ? { n: token.n, nodeId: token.nodeId, joined: true } : token));
}

/** Nodes of a plan. */
export interface NodesBefore {
  has(nodeId: string): boolean;
}

/** The edges of a plan, backwards. Nodes go by their positions in it, which take less memory than their ids. */
interface Backwards {
  readonly positions: ReadonlyMap<string, number>;
  /** The positions that edges lead from, to each position. */
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
  const positions = new Map(all.map(({ id }, position) => [id, position]));
  const sources: number[][] = all.map(() => []);
  for (const [position, { ways }] of all.entries()) {
    for (const target of Object.values(ways).flat()) {
      sources[positions.get(target) ?? -1]?.push(position);
    }
  }
  return { positions, sources, known: new Map() };
}

function found({ positions, sources }: Backwards, nodeId: string): NodesBefore {
  const seen = new Uint8Array(sources.length);
  const open = [positions.get(nodeId) ?? -1];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const source of sources[next] ?? []) {
      if (seen[source] === 0) {
        seen[source] = 1;
        open.push(source);
      }
    }
  }
  return { has: (id) => seen[positions.get(id) ?? -1] === 1 };
}
