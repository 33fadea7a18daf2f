import { accessCase } from '../harness/tenants.ts';
import { newEndpoint } from '../webhook-endpoints/endpoints.ts';

export default accessCase({
  subject: 'shared',
  request: async ({ product, admin }) => ({
    path: { id: (await newEndpoint(product, admin)).id },
  }),
});
