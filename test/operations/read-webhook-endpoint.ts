import { accessCase } from '../harness/tenants.ts';
import { endpointFor } from '../webhook-endpoints/endpoints.ts';

export default accessCase({
  subject: 'shared',
  request: async ({ product, admin }) => ({
    path: { id: (await endpointFor(product, admin)).id },
  }),
});
