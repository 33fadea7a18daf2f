import { row } from '../harness/world.ts';
import { writtenNote } from '../notes/client.ts';

export default row({
  about: 'record',
  request: async (world) => ({
    path: { id: (await writtenNote(world, world.rep))._id },
    body: { emoji: '👍' },
  }),
});
