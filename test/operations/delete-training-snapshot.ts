import { accessCase, expectStatus } from '../harness/tenants.ts';
import { newSnapshot } from '../training/snapshots.ts';

export default accessCase({
  subject: 'record',
  request: async (tenants) => {
    const body = await newSnapshot(tenants);
    const created = await tenants.product.call('create-training-snapshot', {
      token: tenants.rep.token,
      body,
    });
    return { path: { id: expectStatus(created, 201).data._id } };
  },
});
