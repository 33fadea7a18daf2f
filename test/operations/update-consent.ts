import { row } from '../harness/world.ts';

export default row({
  about: 'record',
  request: async ({ newContact }) => ({ path: { id: (await newContact())._id }, body: { sms: 'out' } }),
});
