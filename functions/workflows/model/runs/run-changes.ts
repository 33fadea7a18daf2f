import type { Key } from '../../../../shared/table/key.ts';
import { endingTopics, findNode, type Plan } from '../definition/plan.ts';
import { type PlanSources, readPlan } from '../definition/plan-row.ts';
import type { PlanState } from '../definition/workflow.ts';
import type { Run } from './run.ts';
import { RunsEnded } from './run-gate.ts';

/** The decisions of edits and requests for runs of earlier revisions. A record of its own, because every step reads it. */
export type RunChanges = Pick<PlanState, 'movesTo' | 'ended'>;

export const runChangesKey = (workflowId: string): Key<RunChanges> => ({
  partition: ['WORKFLOW', workflowId],
  sort: ['RUN_CHANGES'],
});

/** How many moves are remembered. A run that waits through more moves to one of the last, or stays. */
export const maxMoves = 100;

/** The plan that a run continues with. */
export interface RunPlan {
  readonly revision: number;
  readonly plan: Plan;
  /** The last revision that runs could move to: whether this run moves to it is decided now, once. */
  readonly movesSeen?: number;
}

/**
 * The plan that the next step of a run follows: that of the latest revision that runs move to and that still has all nodes that the run's
 * tokens are at, each of the same type; otherwise its own. Undefined if its plan is deleted or has expired.
 * @throws `RunsEnded` for a run that was ended with its workflow.
 *
 * Nobody touches runs when their workflow is edited: each moves by itself in the transaction of its next step, which writes what
 * `inPlan` says into the run's record. So there is no time at which some runs have moved and others have not, a step follows one graph
 * from reading to commit, and a run that is never woken costs nothing. Moving late comes to the same as moving at each edit: the tokens
 * of a run stay where they are until its next step, so the last revision that would have taken it is the first that takes it when
 * looking from the end; and what the run has passed by once (`movesSeen`) does not take it later. The list is read strongly
 * consistent: a step that begins after the response to an edit sees it. A step that began earlier and commits later precedes the edit.
 */
export async function readRunPlan(
  sources: PlanSources,
  run: Pick<Run, 'workflowId' | 'revision' | 'tokens' | 'movesSeen'>,
): Promise<RunPlan | undefined> {
  const [runPlan, changes] = await Promise.all([
    readPlan(sources, run.workflowId, run.revision),
    sources.table.read(runChangesKey(run.workflowId)),
  ]);
  const { movesTo = [], ended } = changes?.data ?? {};
  if (ended !== undefined && run.revision <= ended.lastEnded) {
    throw new RunsEnded(ended.reason);
  }
  if (runPlan === undefined) {
    return undefined;
  }
  const seen = Math.max(run.revision, run.movesSeen ?? 0);
  const later = movesTo.filter((revision) => revision > seen).toReversed();
  const [movesSeen = seen] = later;
  for (const revision of later) {
    const plan = await readPlan(sources, run.workflowId, revision);
    if (plan !== undefined && hasNodesOf(run, runPlan, plan)) {
      return { revision, plan, movesSeen };
    }
  }
  return { revision: run.revision, plan: runPlan, movesSeen };
}

/** The run in its plan, as its next step writes it. */
export function inPlan(run: Run, { revision, plan, movesSeen = revision }: RunPlan): Run {
  const { movesSeen: _, endedBy: __, most: ___, ...rest } = run;
  const most = plan.confirmed?.most;
  const endedBy = revision === run.revision ? (run.endedBy ?? []) : endingTopics(plan);
  return {
    ...rest,
    revision,
    ...(most && { most }),
    ...(movesSeen > revision && { movesSeen }),
    ...(endedBy.length > 0 && { endedBy }),
  };
}

/** Whether each node that a token is at is still there. */
function hasNodesOf({ tokens }: Pick<Run, 'tokens'>, runPlan: Plan, next: Plan): boolean {
  return tokens.every(({ nodeId }) => {
    const node = findNode(next, nodeId);
    return node !== undefined && node.type === findNode(runPlan, nodeId)?.type;
  });
}
