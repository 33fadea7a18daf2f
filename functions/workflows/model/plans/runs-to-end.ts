import { after, day, epochSeconds } from '../../../../shared/kernel/time.ts';
import type { Key } from '../../../../shared/table/key.ts';
import type { Step, TableWriter } from '../../../../shared/table/table.ts';
import type { EndOfRuns, PlanState } from '../workflow.ts';
import { runChangesKey } from './run-changes.ts';
import { gatesOf } from './run-gate.ts';
import { triggerCountSteps, triggerKey } from './trigger-rows.ts';

/** Asks for the end of all runs of a workflow up to a revision; `end-workflow-runs` finds it in the stream. */
export interface RunsToEnd {
  readonly workflowId: string;
  readonly lastEnded: number;
  readonly reason: EndOfRuns;
  /** Where the next batch begins in the list of active runs; from the start without one. */
  readonly cursor?: string | undefined;
  /** Once all runs have ended: how many rows of the deleted workflow are deleted. */
  readonly deletedRows?: number;
}

export const runsToEndKey = (workflowId: string, lastEnded: number): Key<RunsToEnd> => ({
  partition: ['WORKFLOW', workflowId],
  sort: ['RUNS_TO_END', String(lastEnded)],
});

/** How long it is remembered which runs were ended: longer than a run can last. */
export const endedRememberedFor = 366 * day;

/** Whether runs may be under way that have not been ended together. */
export function mayHaveRuns(plan: PlanState | undefined): plan is PlanState {
  return plan !== undefined && plan.ended?.lastEnded !== plan.revision;
}

/** The steps that take the triggers of a deleted workflow away and end its runs. What else lies in its partition follows. */
export function deletedPlanSteps(context: Context, workflowId: string, plan: PlanState): Step[] {
  return [
    ...plan.topics.map((topic) => context.table.delete(triggerKey(topic, workflowId))),
    ...triggerCountSteps(context.table, plan.topics, []),
    ...endRuns(context, workflowId, plan, 'workflow_deleted').steps,
  ];
}

interface Context {
  readonly table: TableWriter;
  readonly now: Date;
}

/**
 * Ends all runs of a disabled or deleted workflow, in the transaction of the request: closes the gates, also for starts, and has the records of the runs follow. It costs
 * two write units a gate, and four.
 */
export function endRuns(
  { table, now }: Context,
  workflowId: string,
  plan: PlanState,
  reason: EndOfRuns,
): { readonly state: PlanState; readonly steps: readonly Step[] } {
  const ended = { lastEnded: plan.revision, reason };
  const expiresAt = after(now, endedRememberedFor);
  const closing = {
    update: 'SET lastEnded = :lastEnded, reason = :reason, expiresAt = :expiresAt, isClosed = :isClosed',
    values: { ...ended, isClosed: true, expiresAt: epochSeconds(expiresAt) },
  };
  const expiry = reason === 'workflow_deleted' ? { expiresAt } : {};
  return {
    // Enabled again, it gets another revision, also with the same graph.
    state: { ...plan, digest: '', ended },
    steps: [
      ...gatesOf(workflowId).map((key) => table.updateStep(key, closing)),
      table.put(runChangesKey(workflowId), { movesTo: plan.movesTo, ended }, expiry),
      table.put(runsToEndKey(workflowId, plan.revision), { workflowId, ...ended }, { expiresAt }),
    ],
  };
}
