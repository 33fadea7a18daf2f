import { Failure, notFound } from '../kernel/failure.ts';
import { activePipeline, type Pipeline, type PipelineType, type Stage } from './pipeline.ts';

/** Where a record stands: a stage of a pipeline. */
export interface StagePlace {
  readonly pipelineId: string;
  readonly stageId: string;
}

export function stageById(pipelines: readonly Pipeline[], stageId: string): Stage | undefined {
  return pipelines.flatMap(({ stages }) => stages).find(({ _id }) => _id === stageId);
}

/** A stage as a request names it: by id, or by name within a pipeline. */
export interface StageWish {
  readonly pipelineId?: string | undefined;
  readonly stageId?: string | undefined;
  readonly stage?: string | undefined;
}

export interface FoundStage extends StagePlace {
  /** Nothing was asked for: this is the first stage of the active pipeline. */
  readonly isDefault: boolean;
}

/**
 * The stage a request means. An id decides over a name; a name is looked for in the pipeline named, else in `home`.
 * @throws a 404 `Failure` for a pipeline or stage that is not there, and when no pipeline is active.
 */
export function stageMeant(
  pipelines: readonly Pipeline[],
  type: PipelineType,
  wish: StageWish,
  home: Pipeline | undefined = activePipeline(pipelines, type),
): FoundStage {
  const ofType = pipelines.filter((pipeline) => pipeline.type === type);
  const named = wish.pipelineId === undefined ? undefined : ofType.find(({ _id }) => _id === wish.pipelineId);
  if (wish.pipelineId !== undefined && named === undefined) {
    throw notFound('Pipeline');
  }
  if (wish.stageId !== undefined) {
    const pipeline = (named ? [named] : ofType).find(({ stages }) =>
      stages.some(({ _id }) => _id === wish.stageId),
    );
    if (pipeline === undefined) {
      throw notFound('Stage');
    }
    return { pipelineId: pipeline._id, stageId: wish.stageId, isDefault: false };
  }
  const pipeline = named ?? home;
  if (pipeline === undefined) {
    throw new Failure(
      'NOT_FOUND',
      `No ${type} pipeline is active. Name a stageId, or make a pipeline active.`,
    );
  }
  const stage =
    wish.stage === undefined ? pipeline.stages[0] : pipeline.stages.find(({ name }) => name === wish.stage);
  if (stage === undefined) {
    throw notFound('Stage');
  }
  return {
    pipelineId: pipeline._id,
    stageId: stage._id,
    isDefault: named === undefined && wish.stage === undefined,
  };
}
