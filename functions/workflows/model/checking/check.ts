import type { Caller } from '../../../../shared/kernel/caller.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { planOf } from '../compiling/compile-plan.ts';
import { graphOf } from '../graph/graph.ts';
import { graphProblems } from './graph-problems.ts';
import { maxProblems, type Problem } from './problem.ts';
import { type Owned, referenceProblems } from './reference-problems.ts';

interface Checked extends Owned {
  readonly document: string;
}

/** All problems of a workflow, in one round trip. */
export async function problemsOf(
  table: TableReader,
  caller: Caller,
  { document, ...owned }: Checked,
): Promise<Problem[]> {
  const graph = graphOf(document);
  const plan = planOf(graph);
  const missing = await referenceProblems(table, caller, plan, owned);
  return [...graphProblems(graph, plan), ...missing].slice(0, maxProblems);
}

/**
 * Commits a change of a workflow and counts its problems meanwhile. A table that is too busy to tell what the graph names must not make
 * a change look as if it had failed: then the problems of the graph alone count.
 * @param message what the change did.
 * @returns the message with the number of problems: `Workflow created, with 2 problems`.
 */
export async function committedWithProblems(
  { table, caller }: { readonly table: TableReader; readonly caller: Caller },
  checked: Checked,
  message: string,
  commit: Promise<unknown>,
): Promise<string> {
  const [told] = await Promise.all([withProblems({ table, caller }, checked, message), commit]);
  return told;
}

/** @returns the message with the number of problems, of those of the graph alone if the table is too busy. */
export async function withProblems(
  { table, caller }: { readonly table: TableReader; readonly caller: Caller },
  checked: Checked,
  message: string,
): Promise<string> {
  const { length } = await problemsOf(table, caller, checked).catch(() => problemsOfGraph(checked.document));
  return withCount(message, length);
}

function problemsOfGraph(document: string): Problem[] {
  const graph = graphOf(document);
  return graphProblems(graph, planOf(graph));
}

function withCount(message: string, count: number): string {
  return count === 0 ? message : `${message}, with ${count} ${count === 1 ? 'problem' : 'problems'}`;
}
