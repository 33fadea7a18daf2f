import { accessCase } from '../harness/tenants.ts';
import { startJob } from '../jobs/jobs-client.ts';

export default accessCase({
  subject: 'self',
  request: async ({ product }, by) => ({ path: { id: await startJob(product, by) } }),
});
