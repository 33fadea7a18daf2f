import { accessCase } from '../harness/tenants.ts';
import { newSnapshot } from '../training/snapshots.ts';

export default accessCase({
  subject: 'record',
  request: async (tenants) => ({ body: await newSnapshot(tenants) }),
});
