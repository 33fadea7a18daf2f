import { isDeepStrictEqual } from 'node:util';
import type { Pipeline, Stage } from '../../../shared/contacts/pipeline.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { named } from '../../../shared/kernel/names/same-names.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import type { RequestedStages } from './pipeline-fields.ts';

/** The changes of a pipeline in a request; an absent key keeps its value. */
export interface PipelineEdit {
  readonly name?: string | undefined;
  readonly stages?: RequestedStages | undefined;
  readonly isActive?: boolean | undefined;
}

/**
 * The pipeline with its changed fields; the same object if nothing changes. `newIds` are for new stages, by their index in the
 * request.
 * @throws a 404 `Failure` for a stage that the pipeline does not have.
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
    stages: stages === undefined ? pipeline.stages : requestedStages(pipeline.stages, stages, newIds),
  };
  return isDeepStrictEqual(edited, pipeline) ? pipeline : { ...edited, updatedAt: at };
}

/** A stage without an id is the existing one with its name, unless the request renames that one; otherwise it is new. */
function requestedStages(had: readonly Stage[], wanted: RequestedStages, newIds: readonly string[]): Stage[] {
  const withId = new Set(wanted.map(({ _id }) => _id));
  const byName = named(had.filter(({ _id }) => !withId.has(_id)));
  const ids = new Set(had.map(({ _id }) => _id));
  return wanted.map(({ _id, name }, index) => {
    if (_id !== undefined && !ids.has(_id)) {
      throw new Failure('NOT_FOUND', `stages[${index}]._id is not the id of a stage of this pipeline`);
    }
    return _id === undefined ? (byName(name) ?? { _id: newIds[index] ?? '', name }) : { _id, name };
  });
}
