import { spareDefinition } from '../custom-fields/client.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'shared',
  request: async (tenants) => ({ path: { id: (await spareDefinition(tenants))._id } }),
});
