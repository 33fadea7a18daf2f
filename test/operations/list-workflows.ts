import { accessCase } from '../harness/tenants.ts';
import { newWorkflow } from '../workflows/client.ts';

export default accessCase({
  subject: 'organization',
  request: async (tenants) => {
    await newWorkflow(tenants, { name: `Unmistakable ${crypto.randomUUID()}` });
    return {};
  },
});
