import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async ({ newContact }) => ({ path: { id: (await newContact())._id } }),
});
