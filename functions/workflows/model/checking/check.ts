import type { Compiled } from '../compiling/compile-plan.ts';
import { graphProblems } from './graph-problems.ts';
import { maxProblems, type Problem } from './problem.ts';
import { type Owned, type ReferenceSources, referenceProblems } from './reference-problems.ts';

interface Checked extends Owned {
  readonly compiled: Compiled;
}

/** All problems of a workflow, in one round trip. */
export async function problemsOf(
  sources: ReferenceSources,
  { compiled: { graph, plan }, ...owned }: Checked,
): Promise<Problem[]> {
  const missing = await referenceProblems(sources, plan, owned);
  return [...graphProblems(graph, plan), ...missing].slice(0, maxProblems);
}
