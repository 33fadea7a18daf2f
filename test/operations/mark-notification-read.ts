import { expectStatus, row } from '../harness/world.ts';
import { writtenNote } from '../notes/client.ts';

/** Of `rep`, who alone has it. */
export default row({
  about: 'record',
  refused: { superadmin: 404, admin: 404, head: 404 },
  request: async (world) => {
    const { product, rep } = world;
    await writtenNote(world, rep, { mentions: [rep.userId] });
    const list = await product.call('list-notifications', { token: rep.token });
    return { path: { id: expectStatus(list, 200).data[0]._id } };
  },
});
