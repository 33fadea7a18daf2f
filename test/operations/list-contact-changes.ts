import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async ({ newContact }) => ({ query: { contactId: (await newContact())._id } }),
});
