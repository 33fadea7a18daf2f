import { findNode, type Plan } from '../definition/plan.ts';
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
  const before = nodesBefore(plan, join);
  return tokens.some((token) =>
    token.nodeId === join && !token.joined ? !waitsAtJoin(token) : before.has(token.nodeId),
  );
}

function released(tokens: readonly Token[], join: string): readonly Token[] {
  const there = tokens.filter((token) => token.nodeId === join && waitsAtJoin(token));
  const lowest = Math.min(...there.map(({ n }) => n));
  return tokens
    .filter((token) => !there.includes(token) || token.n === lowest)
    .map((token) => (token.n === lowest ? { n: token.n, nodeId: token.nodeId, joined: true } : token));
}

/** The nodes from which at least one edge leads to this one, at once or through others: itself too, if it is in a circle. */
export function nodesBefore(plan: Plan, nodeId: string): ReadonlySet<string> {
  const edges = Object.values(plan.nodes).flatMap(({ id, ways }) =>
    Object.values(ways)
      .flat()
      .map((target) => ({ source: id, target })),
  );
  const leadingTo = Map.groupBy(edges, ({ target }) => target);
  const before = new Set<string>();
  const open = findNode(plan, nodeId) === undefined ? [] : [nodeId];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { source } of leadingTo.get(next) ?? []) {
      if (!before.has(source)) {
        before.add(source);
        open.push(source);
      }
    }
  }
  return before;
}
