import { expectStatus, row } from '../harness/world.ts';
import { newSnapshot } from '../training/snapshots.ts';

export default row({
  about: 'record',
  request: async (world) => {
    const body = await newSnapshot(world);
    const created = await world.product.call('create-training-snapshot', { token: world.rep.token, body });
    return { path: { id: expectStatus(created, 201).data._id } };
  },
});
