import type { Application } from '../../shared/applications/application.ts';
import type { World } from '../harness/world.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { applicationsClient } from './client.ts';

/** An application that `rep` makes of a new contact of `rep`, in the pipeline that the organization began with. */
export async function newApplication({ product, rep, newContact }: World): Promise<Application> {
  const [pipeline] = await pipelinesClient(product, rep).list('Application');
  const { _id: contactId } = await newContact();
  const body = { contactId, name: 'Trade account', pipelineId: pipeline?._id };
  return applicationsClient(product, rep).created(body);
}
