import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  // Beside `ids`.
  fieldStatuses: { filter: 400, segmentId: 400 },
  request: async ({ newContact }) => ({
    body: { ids: [(await newContact())._id], change: { addTags: ['newsletter'] } },
  }),
});
