import type { Key, Range } from '../table/key.ts';
import type { RunStatus } from './run-statuses.ts';

/**
 * The lists of a workflow's runs: active runs, whether `running` or `waiting`, which their records tell, and ended runs by how they
 * ended. A run moves once, in the transaction of its end, so that a filter by status reads no others.
 */
export const runLists = ['active', 'finished', 'failed', 'cancelled'] as const;
export type RunList = (typeof runLists)[number];

export const runListFor = (status: RunStatus): RunList =>
  status === 'running' || status === 'waiting' ? 'active' : status;

/** Where a run of a list is stored: in the partition of its contact. */
export interface RunEntry {
  readonly runId: string;
  readonly contactId: string;
}

/** A run in a list; runs of a list sort by their ids, and so by time. */
export const runEntryKey = (workflowId: string, list: RunList, runId: string): Key<RunEntry> => ({
  partition: ['WORKFLOW_RUNS', workflowId, list],
  sort: [runId],
});

export const runEntryRange = (workflowId: string, list: RunList): Range<RunEntry> => ({
  partition: ['WORKFLOW_RUNS', workflowId, list],
});
