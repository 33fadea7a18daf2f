import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async ({ newContact }) => ({ body: { contactId: (await newContact())._id, content: 'Hello' } }),
  fieldStatuses: { content: 400, templateId: 400 },
});
