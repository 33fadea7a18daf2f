import { newApplication } from '../applications/client.ts';
import { row } from '../harness/world.ts';

export default row({
  about: 'record',
  request: async (world) => ({
    path: { id: (await newApplication(world))._id },
    body: { name: 'Trade account, extended' },
  }),
});
