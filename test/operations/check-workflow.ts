import { row } from '../harness/world.ts';
import { newWorkflow } from '../workflows/client.ts';

export default row({
  about: 'record',
  request: async (world) => ({ path: { id: (await newWorkflow(world))._id } }),
});
