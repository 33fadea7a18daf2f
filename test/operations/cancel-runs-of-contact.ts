import { row } from '../harness/world.ts';
import { newRun } from '../workflows/runs-client.ts';

export default row({
  about: 'record',
  request: async (world) => ({
    path: { id: (await newRun(world, { status: 'waiting' })).contactId },
    body: {},
  }),
});
