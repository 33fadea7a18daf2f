import { after } from '../../../../shared/kernel/time.ts';
import type { Key, Range } from '../../../../shared/table/key.ts';
import type { Action, TableWriter } from '../../../../shared/table/table.ts';
import { triggerCountActions, triggerKey } from '../definition/triggers.ts';
import type { EndOfRuns, PlanState } from '../definition/workflow.ts';
import { runChangesKey } from './run-changes.ts';
import { closeForStarts, closeForSteps, endedRememberedFor } from './run-gate.ts';

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

const runsToEndRange = (workflowId: string): Range<RunsToEnd> => ({
  partition: runsToEndKey(workflowId, 0).partition,
  under: ['RUNS_TO_END'],
});

/** Whether there may be active runs that no request has ended. */
export function mayHaveRuns(plan: PlanState | undefined): plan is PlanState {
  return plan !== undefined && plan.ended?.lastEnded !== plan.revision;
}

/** The actions that take the triggers of a deleted workflow away and end its runs, as `endRuns` does. The rest of its partition follows. */
export function deletedPlan(
  context: Context,
  workflowId: string,
  plan: PlanState,
): ReturnType<typeof endRuns> {
  const { state, actions } = endRuns(context, workflowId, plan, 'workflow_deleted');
  return {
    state,
    actions: [
      ...plan.topics.map((topic) => context.table.delete(triggerKey(topic, workflowId))),
      ...triggerCountActions(context.table, plan.topics, []),
      ...actions,
    ],
  };
}

interface Context {
  readonly table: TableWriter;
  readonly now: Date;
}

/**
 * Ends all runs of a disabled or deleted workflow: the actions belong to the transaction of the request, which closes its gates with
 * `closeForSteps` before it is answered. They cost two write units a gate for starts, and four; the records of the runs follow.
 */
export function endRuns(
  { table, now }: Context,
  workflowId: string,
  plan: PlanState,
  reason: EndOfRuns,
): { readonly state: PlanState & Required<Pick<PlanState, 'ended'>>; readonly actions: readonly Action[] } {
  const ended = { lastEnded: plan.revision, reason };
  const expiresAt = after(now, endedRememberedFor);
  const expiry = reason === 'workflow_deleted' ? { expiresAt } : {};
  return {
    // If the workflow is enabled again, it gets another revision, even with the same graph.
    state: { ...plan, digest: '', ended },
    actions: [
      ...closeForStarts(table, workflowId, { ended, now }),
      table.put(runChangesKey(workflowId), { movesTo: plan.movesTo, ended }, expiry),
      table.put(runsToEndKey(workflowId, plan.revision), { workflowId, ...ended }, { expiresAt }),
    ],
  };
}

/**
 * Closes the gates that earlier requests to end runs of this workflow may have left open because they failed, so that the promise of the next
 * response holds for their runs, too. Batches that go on, or delete rows, say that all gates are closed.
 */
export async function closeWhatIsOpen({ table, now }: Context, workflowId: string): Promise<void> {
  const requests = await table.list(runsToEndRange(workflowId));
  const open = requests
    .map(({ data }) => data)
    .filter(({ cursor, deletedRows }) => cursor === undefined && deletedRows === undefined)
    .sort((group, other) => other.lastEnded - group.lastEnded);
  const [last] = open;
  if (last !== undefined) {
    const { lastEnded, reason } = last;
    await closeForSteps(table, workflowId, { ended: { lastEnded, reason }, now });
  }
}
