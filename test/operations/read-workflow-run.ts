import { accessCase } from '../harness/tenants.ts';
import { newRun } from '../workflows/runs-client.ts';

export default accessCase({
  subject: 'record',
  request: async (tenants) => ({ path: { id: (await newRun(tenants))._id } }),
});
