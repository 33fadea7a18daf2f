import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async ({ newContact, rep }) => ({
    body: { contactId: (await newContact())._id, note: 'Call back', mentions: [rep.userId] },
  }),
  fieldStatuses: { note: 400 },
});
