import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async ({ newContact, rep }) => ({
    body: { contactId: (await newContact())._id, userId: rep.userId, message: 'Call back' },
  }),
});
