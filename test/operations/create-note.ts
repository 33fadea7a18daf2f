import { row } from '../harness/world.ts';

export default row({
  about: 'record',
  request: async ({ newContact, rep }) => ({
    body: { contactId: (await newContact())._id, note: 'Call back', mentions: [rep.userId] },
  }),
  fieldStatuses: { note: 400 },
});
