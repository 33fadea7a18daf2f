import { accessCase } from '../harness/tenants.ts';
import { newWorkflow } from '../workflows/client.ts';

export default accessCase({
  subject: 'record',
  request: async (tenants) => ({ path: { id: (await newWorkflow(tenants))._id } }),
});
