import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async ({ newContact }) => ({
    body: { contactId: (await newContact())._id, note: 'Call back', remindAt: '2027-01-15T09:00:00Z' },
  }),
});
