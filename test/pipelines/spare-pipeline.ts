import type { Pipeline } from '../../shared/pipelines/pipeline.ts';
import { newPhoneNumber, type World } from '../harness/world.ts';
import { pipelinesClient } from './client.ts';

const firstStage = 'To spare';

/**
 * A pipeline that nothing depends on: the one made for this before, as long as it is there, since an organization may have 50.
 */
export async function sparePipeline({ product, admin }: World): Promise<Pipeline> {
  const pipelines = pipelinesClient(product, admin);
  const spare = (await pipelines.list()).find(
    ({ isActive, stages }) => !isActive && stages[0]?.name === firstStage,
  );
  return spare ?? pipelines.created({ name: newPhoneNumber(), type: 'Application', stages: [firstStage] });
}
