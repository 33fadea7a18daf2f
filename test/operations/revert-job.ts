import { accessCase } from '../harness/tenants.ts';
import { jobsClient, startJob } from '../jobs/jobs-client.ts';

export default accessCase({
  subject: 'self',
  async request({ product }, by) {
    const id = await startJob(product, by);
    await jobsClient(product).end(by, { _id: id });
    return { path: { id } };
  },
});
