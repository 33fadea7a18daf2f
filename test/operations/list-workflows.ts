import { row } from '../harness/world.ts';
import { newWorkflow } from '../workflows/client.ts';

export default row({
  about: 'organization',
  request: async (world) => {
    await newWorkflow(world, { name: `Unmistakable ${crypto.randomUUID()}` });
    return {};
  },
});
