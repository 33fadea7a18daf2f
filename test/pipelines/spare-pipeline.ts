import type { Pipeline } from '../../shared/pipelines/pipeline.ts';
import { expectStatus, newPhoneNumber, type World } from '../harness/world.ts';

const firstStage = 'To spare';

/**
 * A pipeline that nothing depends on: the one made for this before, as long as it is there, since an organization may have 50.
 */
export async function sparePipeline({ product, admin }: World): Promise<Pipeline> {
  const { token } = admin;
  const list = expectStatus(await product.call('list-pipelines', { token }), 200).data as Pipeline[];
  const spare = list.find(({ isActive, stages }) => !isActive && stages[0]?.name === firstStage);
  const body = { name: newPhoneNumber(), type: 'Application', stages: [{ name: firstStage }] };
  return spare ?? expectStatus(await product.call('create-pipeline', { token, body }), 201).data;
}
