import { row } from '../harness/world.ts';

export default row({
  about: 'record',
  request: async ({ newContact }) => ({
    body: { contactId: (await newContact())._id, note: 'Call back', remindAt: '2027-01-15T09:00:00Z' },
  }),
});
