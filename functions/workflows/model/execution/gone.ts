import { activePipeline, type PipelineType } from '../../../../shared/contacts/pipeline.ts';
import { requestedStage, stageById } from '../../../../shared/contacts/stages.ts';
import { Failure } from '../../../../shared/kernel/failure.ts';
import { toId } from '../../../../shared/kernel/identifier.ts';
import { userKey } from '../../../../shared/organizations/user.ts';
import type { SkipReason } from '../../../../shared/workflows/run-statuses.ts';
import { findHeader } from '../definition/find-workflow.ts';
import { type StageData, stageRequest } from '../definition/node-fields.ts';
import { canSee } from './can-see.ts';
import type { Decision } from './decision.ts';
import type { ContextSources } from './step-context.ts';

/**
 * Why a step is skipped whose data names something that is not there (any more). Undefined if it is there, and always for a contact that
 * the owner of the workflow may not see: there the operation has its own reason.
 */
export type Gone = 'user_gone' | 'pipeline_gone' | 'stage_gone' | 'workflow_gone' | undefined;

export const skippedFor = (reason: SkipReason): Decision => ({
  outcome: { status: 'skipped', reason },
});

/** @param userIds as the placeholders of the step are filled. */
export async function findGoneUser(sources: ContextSources, userIds: readonly string[]): Promise<Gone> {
  const ids = [...new Set(userIds.map(toId))];
  const users = ids.length === 0 ? [] : await sources.table.readMany(ids.map(userKey));
  return revealIfSeen(sources, users.includes(undefined) ? 'user_gone' : undefined);
}

/** @param homeId the pipeline that the contact or the application is in. */
export async function findGoneStage(
  sources: ContextSources,
  stageRef: StageData,
  type: PipelineType,
  homeId?: string,
): Promise<Gone> {
  return revealIfSeen(sources, missingStage(sources, stageRef, type, homeId));
}

function missingStage(
  { context: { pipelines } }: ContextSources,
  stageRef: StageData,
  type: PipelineType,
  homeId: string | undefined,
): Gone {
  const { pipelineId, stage } = stageRef;
  const home = pipelines.find(({ _id }) => _id === homeId) ?? activePipeline(pipelines, type);
  try {
    requestedStage(pipelines, type, stageRequest(stageRef, pipelines), home);
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure)) {
      throw error;
    }
  }
  if (
    pipelineId !== undefined &&
    !pipelines.some((pipeline) => pipeline._id === pipelineId && pipeline.type === type)
  ) {
    return 'pipeline_gone';
  }
  // There is no pipeline in which to look up a name: the operation refuses, and says what to do.
  const isFindable = pipelineId !== undefined || home !== undefined || stageById(pipelines, stage ?? '');
  return stage !== undefined && isFindable ? 'stage_gone' : undefined;
}

/** For the owner, a workflow that they may not see is gone, too. */
export async function findGoneWorkflow(sources: ContextSources, workflowId: string): Promise<Gone> {
  const { table, context } = sources;
  if (context.owner === undefined) {
    return undefined;
  }
  try {
    await findHeader(table, context.owner, workflowId);
    return undefined;
  } catch (error) {
    if (error instanceof Failure && error.status === 404) {
      return revealIfSeen(sources, 'workflow_gone');
    }
    throw error;
  }
}

/** The reason, for a contact that the owner may see; otherwise undefined. */
export async function revealIfSeen<Reason extends SkipReason>(
  { table, context: { owner, state } }: ContextSources,
  reason: Reason | undefined,
): Promise<Reason | undefined> {
  return reason !== undefined && owner && state && (await canSee(table, owner, state.contact))
    ? reason
    : undefined;
}
