import { newPhoneNumber, row } from '../harness/world.ts';
import { sparePipeline } from '../pipelines/client.ts';

export default row({
  about: 'shared',
  request: async (world) => ({
    path: { id: (await sparePipeline(world))._id },
    body: { name: newPhoneNumber(), stages: [{ name: 'To spare' }, { name: 'Spared' }] },
  }),
});
