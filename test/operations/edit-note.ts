import { row } from '../harness/world.ts';
import { writtenNote } from '../notes/client.ts';

export default row({
  about: 'record',
  refused: { superadmin: 403, admin: 403, head: 403 },
  request: async (world) => ({
    path: { id: (await writtenNote(world, world.rep))._id },
    body: { note: 'Call back on Monday' },
  }),
  fieldStatuses: { note: 400 },
});
