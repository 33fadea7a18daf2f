import { row } from '../harness/world.ts';

export default row({
  about: 'shared',
  request: async ({ newContact }) => ({ path: { id: (await newContact())._id } }),
});
