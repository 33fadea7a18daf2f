import type { Pipeline } from '../pipelines/pipeline.ts';
import { activePipeline } from '../pipelines/pipeline.ts';
import { type FoundStage, stageMeant } from '../pipelines/stages.ts';
import type { StoredConfiguration } from './configuration.ts';

/**
 * Where a new contact of the configuration enters. What is gone by now is no reason to lose a lead: without the stage, the first
 * one of the pipeline named; without that too, of the active Contact pipeline; without any active one, of the oldest.
 * @throws a 404 `Failure` when there is no Contact pipeline at all.
 */
export function entryStage(
  pipelines: readonly Pipeline[],
  { pipelineId, stageId }: Pick<StoredConfiguration, 'pipelineId' | 'stageId'>,
): FoundStage {
  const ofContacts = pipelines.filter(({ type }) => type === 'Contact');
  const home = ofContacts.find(({ stages }) => stages.some(({ _id }) => _id === stageId));
  if (stageId !== null && home !== undefined) {
    return stageMeant(pipelines, 'Contact', { stageId });
  }
  const named =
    ofContacts.find(({ _id }) => _id === pipelineId) ??
    (activePipeline(pipelines, 'Contact') === undefined ? ofContacts[0] : undefined);
  return stageMeant(pipelines, 'Contact', { pipelineId: named?._id });
}
