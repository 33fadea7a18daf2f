import { after, day } from '../../shared/kernel/time.ts';
import { arrange, type Tenants } from '../harness/tenants.ts';
import { workflowsClient } from './client.ts';
import { waitingGraph } from './plans-client.ts';
import { readStartedRuns } from './started-runs.ts';

/** The waits of these runs are over by then. */
export const nextMonth = () => after(new Date(), 31 * day);

/** Enabled workflows of `rep` with waiting runs, and the requests that end these runs. */
export async function waitingWorkflowsIn({ product, rep, newContact }: Tenants) {
  const { organizationId, userId } = rep;
  const workflows = workflowsClient(product, rep);
  const runs = await readStartedRuns(product, organizationId);
  const toggle = (id: string, body: object, cancelRuns?: string) =>
    product.call('toggle-workflow', {
      ...{ token: rep.token, path: { id }, body, query: cancelRuns === undefined ? {} : { cancelRuns } },
    });
  const newContactId = async () => (await newContact())._id;

  return {
    workflows,
    runs,
    toggle,
    disableAndCancel: (id: string) => toggle(id, { enabled: false }, 'true'),
    newEnabled: async () => (await workflows.created({ ...waitingGraph, enabled: true }))._id,
    newContactId,
    notesOf: async (contactId: string): Promise<unknown[]> =>
      (await arrange(product.call('list-notes', { token: rep.token, query: { contactId } }))).data,
    /** This many waiting runs of a workflow, all for one new contact. */
    async waitingRuns(workflowId: string, count: number, revision = 1) {
      const contactId = await newContactId();
      const start = () => runs.start({ workflowId, contactId, userId, revision });
      return { contactId, ids: await Promise.all(Array.from({ length: count }, start)) };
    },
  };
}
