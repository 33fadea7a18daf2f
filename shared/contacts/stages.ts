import { Failure } from '../kernel/failure.ts';
import { named as stageNamed } from '../kernel/names/same-names.ts';
import { activePipeline, type Pipeline, type PipelineType, type Stage } from './pipeline.ts';

export interface StageRef {
  readonly pipelineId: string;
  readonly stageId: string;
}

const stageRefsIn = (pipelines: readonly Pipeline[]) =>
  pipelines.flatMap(({ _id: pipelineId, stages }) =>
    stages.map((stage) => ({ pipelineId, stageId: stage._id, stage })),
  );

/** All stages of these pipelines, for many lookups. */
export function stagesById(pipelines: readonly Pipeline[]): Map<string, Stage> {
  return new Map(stageRefsIn(pipelines).map(({ stageId, stage }) => [stageId, stage]));
}

/** The stage with this id in whichever pipeline; undefined if none has it. */
export function stageById(pipelines: readonly Pipeline[], stageId: string): Stage | undefined {
  return stageRefsIn(pipelines).find((stageRef) => stageRef.stageId === stageId)?.stage;
}

/** A stage in a request: by id, or by name within a pipeline. */
export interface RequestedStage {
  readonly pipelineId?: string | undefined;
  readonly stageId?: string | undefined;
  readonly stage?: string | undefined;
}

export interface FoundStage extends StageRef {
  readonly stage: Stage;
}

/**
 * The stage that a request names. An id takes precedence over a name; a name belongs to the requested pipeline, or else to
 * `home`.
 * @throws a 404 `Failure` that names the field of a pipeline or stage that does not exist, and one when no pipeline is active.
 */
export function requestedStage(
  pipelines: readonly Pipeline[],
  type: PipelineType,
  requested: RequestedStage,
  home: Pipeline | undefined = activePipeline(pipelines, type),
): FoundStage {
  const ofType = pipelines.filter((pipeline) => pipeline.type === type);
  const named =
    requested.pipelineId === undefined ? undefined : ofType.find(({ _id }) => _id === requested.pipelineId);
  if (requested.pipelineId !== undefined && named === undefined) {
    throw new Failure('NOT_FOUND', `pipelineId is not the id of ${articled[type]} pipeline`);
  }
  if (requested.stageId !== undefined) {
    const found = stageRefsIn(named ? [named] : ofType).find(({ stageId }) => stageId === requested.stageId);
    if (found === undefined) {
      throw new Failure(
        'NOT_FOUND',
        `stageId is not the id of a stage of ${named ? 'the pipeline that pipelineId names' : `${articled[type]} pipeline`}`,
      );
    }
    return found;
  }
  const pipeline = named ?? home;
  if (pipeline === undefined) {
    throw new Failure(
      'NOT_FOUND',
      `No ${type} pipeline is active. Send a stageId, or make a pipeline active.`,
    );
  }
  const stage =
    requested.stage === undefined ? pipeline.stages[0] : stageNamed(pipeline.stages)(requested.stage);
  if (stage === undefined) {
    throw new Failure(
      'NOT_FOUND',
      named
        ? 'stage is not the name of a stage of the pipeline that pipelineId names'
        : 'stage is not the name of a stage of this pipeline. To name one of another pipeline, add pipelineId.',
    );
  }
  return { pipelineId: pipeline._id, stageId: stage._id, stage };
}

const articled: Record<PipelineType, string> = { Contact: 'a Contact', Application: 'an Application' };

/** The stage that a contact should enter; null where it does not matter. */
export interface PreferredStage {
  readonly pipelineId: string | null;
  readonly stageId: string | null;
}

/**
 * The stage for a contact who comes through a lead, a message or a call. A missing stage must not lose the contact: without the
 * requested stage it is the first one of the requested pipeline, without that pipeline of the active Contact pipeline, without an
 * active one of the oldest.
 * @throws a 404 `Failure` when there is no Contact pipeline.
 */
export function entryStage(
  pipelines: readonly Pipeline[],
  { pipelineId, stageId }: PreferredStage = { pipelineId: null, stageId: null },
): FoundStage {
  const ofContacts = pipelines.filter(({ type }) => type === 'Contact');
  const [oldest] = ofContacts;
  if (oldest === undefined) {
    throw new Failure('NOT_FOUND', 'There is no Contact pipeline for a new contact to enter. Create one.');
  }
  if (stageId !== null && stageById(ofContacts, stageId) !== undefined) {
    return requestedStage(pipelines, 'Contact', { stageId });
  }
  const named =
    ofContacts.find(({ _id }) => _id === pipelineId) ??
    (activePipeline(pipelines, 'Contact') === undefined ? oldest : undefined);
  return requestedStage(pipelines, 'Contact', { pipelineId: named?._id });
}
