import { Failure } from '../kernel/failure.ts';
import { activePipeline, type Pipeline } from './pipeline.ts';
import { type FoundStage, stageMeant } from './stages.ts';

/** Where somebody should enter; null for no matter where. */
interface Entrance {
  readonly pipelineId: string | null;
  readonly stageId: string | null;
}

const anywhere: Entrance = { pipelineId: null, stageId: null };

/**
 * Where a contact enters who comes by itself: by a lead, a message or a call. What is gone by now is no reason to lose it: without
 * the stage wanted, the first one of the pipeline wanted; without that too, of the active Contact pipeline; without any active
 * one, of the oldest.
 * @throws a 404 `Failure` when there is no Contact pipeline at all.
 */
export function entryStage(
  pipelines: readonly Pipeline[],
  { pipelineId, stageId }: Entrance = anywhere,
): FoundStage {
  const ofContacts = pipelines.filter(({ type }) => type === 'Contact');
  const [oldest] = ofContacts;
  if (oldest === undefined) {
    throw new Failure(
      'NOT_FOUND',
      'There is no Contact pipeline that a new contact could enter. Create one.',
    );
  }
  const home = ofContacts.find(({ stages }) => stages.some(({ _id }) => _id === stageId));
  if (stageId !== null && home !== undefined) {
    return stageMeant(pipelines, 'Contact', { stageId });
  }
  const named =
    ofContacts.find(({ _id }) => _id === pipelineId) ??
    (activePipeline(pipelines, 'Contact') === undefined ? oldest : undefined);
  return stageMeant(pipelines, 'Contact', { pipelineId: named?._id });
}
