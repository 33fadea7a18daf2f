import { accessCase } from '../harness/tenants.ts';
import { spareSegment } from '../segments/client.ts';

export default accessCase({
  subject: 'shared',
  request: async (tenants, by) => ({ path: { id: (await spareSegment(tenants, by))._id } }),
});
