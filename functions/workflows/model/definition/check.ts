import type { JsonText } from '../../../../shared/kernel/http/json-text.ts';
import type { Compiled } from './compile-plan.ts';
import { graphProblems } from './graph-problems.ts';
import { maxProblems, type Problem } from './problem.ts';
import { findReferenceProblems, type ReferenceSources } from './reference-problems.ts';
import type { WorkflowHeader } from './workflow.ts';
import { toWorkflowResponse, workflowChanged } from './workflow-schemas.ts';

/** A workflow as a request leaves it. */
interface Changed {
  readonly header: WorkflowHeader;
  readonly document: string;
  readonly compiled: Compiled;
  /** Sentences after the message. */
  readonly news?: readonly string[] | undefined;
}

/**
 * The response to a change of a workflow: what changed, with the number of problems, which are counted while the change is committed:
 * `Workflow created, with 2 problems`. If the table is too busy to look up what the graph names, only the problems of the graph itself
 * count: the change must not look as if it had failed.
 * @param commit absent if nothing changes.
 */
export async function respondToChange(
  sources: ReferenceSources,
  { header, document, compiled, news = [] }: Changed,
  message: string,
  commit?: Promise<unknown>,
): Promise<JsonText> {
  const counting = findProblems(sources, { header, compiled }).catch(() =>
    graphProblems(compiled.graph, compiled.plan),
  );
  const [{ length }] = await Promise.all([counting, commit]);
  return workflowChanged(
    [withCount(message, length), ...news].join('. '),
    toWorkflowResponse(header, document),
  );
}

function withCount(message: string, count: number): string {
  return count === 0 ? message : `${message}, with ${count} ${count === 1 ? 'problem' : 'problems'}`;
}

interface Checked {
  readonly header: WorkflowHeader;
  readonly compiled: Compiled;
}

/** All problems of a workflow, in one round trip. */
export async function findProblems(
  sources: ReferenceSources,
  { compiled: { graph, plan }, header }: Checked,
): Promise<Problem[]> {
  const missing = await findReferenceProblems(sources, plan, header);
  return [...graphProblems(graph, plan), ...missing].slice(0, maxProblems);
}
