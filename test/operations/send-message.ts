import { row } from '../harness/world.ts';

export default row({
  about: 'record',
  request: async ({ newContact }) => ({ body: { contactId: (await newContact())._id, content: 'Hello' } }),
  fieldStatuses: { content: 400, templateId: 400 },
});
