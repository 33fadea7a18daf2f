import { Failure } from '../kernel/failure.ts';
import { activePipeline, type Pipeline } from './pipeline.ts';
import { type FoundStage, stageMeant } from './stages.ts';

/** The stage that a contact should enter; null where it does not matter. */
interface Entrance {
  readonly pipelineId: string | null;
  readonly stageId: string | null;
}

const anywhere: Entrance = { pipelineId: null, stageId: null };

/**
 * The stage for a contact who comes through a lead, a message or a call. A missing stage must not lose the contact: without the
 * requested stage it is the first one of the requested pipeline, without that pipeline of the active Contact pipeline, without an
 * active one of the oldest.
 * @throws a 404 `Failure` when there is no Contact pipeline.
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
