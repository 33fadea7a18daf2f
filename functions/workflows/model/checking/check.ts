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

/**
 * Commits a change of a workflow and counts its problems meanwhile. If the table is too busy to look up what the graph names,
 * only the problems of the graph itself count: the change must not look as if it had failed.
 * @param message what the change did.
 * @returns the message with the number of problems: `Workflow created, with 2 problems`.
 */
export async function committedWithProblems(
  sources: ReferenceSources,
  checked: Checked,
  message: string,
  commit: Promise<unknown>,
): Promise<string> {
  const [text] = await Promise.all([withProblems(sources, checked, message), commit]);
  return text;
}

/** @returns the message with the number of problems; only those of the graph itself if the table is too busy. */
export async function withProblems(
  sources: ReferenceSources,
  checked: Checked,
  message: string,
): Promise<string> {
  const { length } = await problemsOf(sources, checked).catch(() => problemsOfGraph(checked.compiled));
  return withCount(message, length);
}

const problemsOfGraph = ({ graph, plan }: Compiled): Problem[] => graphProblems(graph, plan);

function withCount(message: string, count: number): string {
  return count === 0 ? message : `${message}, with ${count} ${count === 1 ? 'problem' : 'problems'}`;
}
