import type { Application } from '../../shared/applications/application.ts';
import type { Pipeline } from '../../shared/pipelines/pipeline.ts';
import { expectStatus, type World } from '../harness/world.ts';

/** An application that `rep` makes of a new contact of `rep`, in the pipeline that the organization began with. */
export async function newApplication({ product, rep, newContact }: World): Promise<Application> {
  const { token } = rep;
  const query = { type: 'Application' };
  const pipelines: Pipeline[] = expectStatus(
    await product.call('list-pipelines', { token, query }),
    200,
  ).data;
  const contactId = (await newContact())._id;
  const body = { contactId, name: 'Trade account', pipelineId: pipelines[0]?._id };
  return expectStatus(await product.call('create-application', { token, body }), 201).data;
}
