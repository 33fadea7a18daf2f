import { row } from '../harness/world.ts';

export default row({
  about: 'record',
  request: async ({ newContact }) => ({ query: { contactId: (await newContact())._id } }),
});
