import { isDeepStrictEqual } from 'node:util';
import { notFound } from '../../../shared/kernel/failure.ts';
import type { Pipeline, Stage } from '../../../shared/pipelines/pipeline.ts';
import type { Timestamp } from '../../../shared/time.ts';
import type { StagesWanted } from './pipeline-fields.ts';

/** What a client may say of a pipeline. A key that is absent stays as it is. */
export interface PipelineEdit {
  readonly name?: string | undefined;
  readonly stages?: StagesWanted | undefined;
  readonly isActive?: boolean | undefined;
}

/**
 * The pipeline with what is asked for in place of its own; the same one where nothing differs. `newIds` are for stages that
 * are new, by their places in the request.
 * @throws the 404 of a stage that the pipeline does not have.
 */
export function editedPipeline(
  pipeline: Pipeline,
  { name = pipeline.name, stages, isActive = pipeline.isActive }: PipelineEdit,
  newIds: readonly string[],
  at: Timestamp,
): Pipeline {
  const edited = {
    ...pipeline,
    name,
    isActive,
    stages: stages === undefined ? pipeline.stages : stagesMeant(pipeline.stages, stages, newIds),
  };
  return isDeepStrictEqual(edited, pipeline) ? pipeline : { ...edited, updatedAt: at };
}

/** A stage without an id is the one of this name, unless the request gives that another name; else a new one. */
function stagesMeant(had: readonly Stage[], wanted: StagesWanted, newIds: readonly string[]): Stage[] {
  const named = new Set(wanted.map(({ _id }) => _id));
  const byName = new Map(had.filter(({ _id }) => !named.has(_id)).map(({ _id, name }) => [name, _id]));
  const ids = new Set(had.map(({ _id }) => _id));
  return wanted.map(({ _id, name }, index) => {
    if (_id !== undefined && !ids.has(_id)) {
      throw notFound('Stage');
    }
    return { _id: _id ?? byName.get(name) ?? newIds[index] ?? '', name };
  });
}
