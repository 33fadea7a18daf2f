import { Failure, notFound } from '../kernel/failure.ts';
import type { Change } from '../table/table.ts';
import { isDefaultStageNamed } from './default-stage.ts';
import { activePipeline, type Pipeline, type PipelineType, type Stage } from './pipeline.ts';

export interface StagePlace {
  readonly pipelineId: string;
  readonly stageId: string;
}

/** All stages of these pipelines, for many lookups. */
export function stagesById(pipelines: readonly Pipeline[]): Map<string, Stage> {
  return new Map(pipelines.flatMap(({ stages }) => stages.map((stage) => [stage._id, stage] as const)));
}

export function stageById(pipelines: readonly Pipeline[], stageId: string): Stage | undefined {
  return pipelines.flatMap(({ stages }) => stages).find(({ _id }) => _id === stageId);
}

/** A stage in a request: by id, or by name within a pipeline. */
export interface StageWish {
  readonly pipelineId?: string | undefined;
  readonly stageId?: string | undefined;
  readonly stage?: string | undefined;
}

export interface FoundStage extends StagePlace {
  readonly stage: Stage;
  /** For the default stage, if the request named none: the condition by which a transaction proves it. */
  readonly guard?: Pick<Change, 'when' | 'values'> | undefined;
}

/**
 * The stage that a request names. An id takes precedence over a name; a name belongs to the requested pipeline, or else to
 * `home`.
 * @throws a 404 `Failure` for a missing pipeline or stage, and when no pipeline is active.
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
    const stage = pipeline?.stages.find(({ _id }) => _id === wish.stageId);
    if (pipeline === undefined || stage === undefined) {
      throw notFound('Stage');
    }
    return { pipelineId: pipeline._id, stageId: stage._id, stage };
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
  const isDefault = named === undefined && wish.stage === undefined;
  return {
    pipelineId: pipeline._id,
    stageId: stage._id,
    stage,
    guard: isDefault && type === 'Contact' ? isDefaultStageNamed(stage.name) : undefined,
  };
}
