import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  request: async ({ newContact }) => ({
    body: { ids: [(await newContact())._id], change: { addTags: ['newsletter'] } },
  }),
});
