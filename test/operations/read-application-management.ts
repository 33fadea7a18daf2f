import { newApplication } from '../applications/client.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async (tenants) => ({ path: { id: (await newApplication(tenants))._id } }),
});
