import { row } from '../harness/world.ts';

export default row({
  about: 'record',
  request: async ({ newContact, rep }) => ({
    body: { contactId: (await newContact())._id, userId: rep.userId, message: 'Call back' },
  }),
});
