import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async ({ newContact }) => ({
    body: { contactId: (await newContact())._id, name: 'Trade account' },
  }),
  fieldStatuses: { stage: 404 },
});
