/** Problems listed in one response; nobody would read more. */
export const maxProblems = 1_000;

/** A problem of a workflow. */
export interface Problem {
  /** Null for what concerns the whole workflow. */
  readonly nodeId: string | null;
  /** With an `error`, the workflow cannot do what its graph says. A `warning` may be intended. */
  readonly severity: 'error' | 'warning';
  /** Says what is wrong, and what to do. */
  readonly message: string;
}

/** A problem of something that a node names. */
export type ProblemOfReference = Omit<Problem, 'nodeId'>;

export const problemAt =
  (nodeId: string | null) =>
  (severity: Problem['severity'], message: string): Problem => ({ nodeId, severity, message });

const quotedLength = 60;

/** A text from the graph in a message: shortened, because it may be of any length. */
export function quotation(text: string): string {
  const letters = [...text.slice(0, 2 * quotedLength)];
  return `"${letters.length > quotedLength ? `${letters.slice(0, quotedLength - 1).join('')}…` : letters.join('')}"`;
}
