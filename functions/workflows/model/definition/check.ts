import type { Compiled } from './compile-plan.ts';
import { graphProblems } from './graph-problems.ts';
import { maxProblems, type Problem } from './problem.ts';
import { type ReferenceSources, referenceProblems } from './reference-problems.ts';
import type { WorkflowHeader } from './workflow.ts';

interface Checked {
  readonly header: WorkflowHeader;
  readonly compiled: Compiled;
}

/** All problems of a workflow, in one round trip. */
export async function problemsOf(
  sources: ReferenceSources,
  { compiled: { graph, plan }, header }: Checked,
): Promise<Problem[]> {
  const missing = await referenceProblems(sources, plan, header);
  return [...graphProblems(graph, plan), ...missing].slice(0, maxProblems);
}
