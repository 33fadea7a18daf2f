import type { Key } from '../../../../shared/table/key.ts';
import type { EndOfRuns } from './run-gate.ts';

/** Asks for the end of all runs of a workflow up to a revision; `end-workflow-runs` finds it in the stream. */
export interface RunsToEnd {
  readonly workflowId: string;
  readonly lastEnded: number;
  readonly reason: EndOfRuns;
  /** Where the next batch begins in the list of active runs; from the start without one. */
  readonly cursor?: string;
}

export const runsToEndKey = (workflowId: string, lastEnded: number): Key<RunsToEnd> => ({
  partition: ['WORKFLOW', workflowId],
  sort: ['RUNS_TO_END', String(lastEnded)],
});
