import { accessCase } from '../harness/tenants.ts';
import { endpointFor } from '../webhook-endpoints/endpoints.ts';

export default accessCase({
  subject: 'shared',
  request: async ({ product, admin }) => ({
    path: { id: (await endpointFor(product, admin)).id },
    body: { from: '2026-01-01T00:00:00Z', to: '2099-12-31T00:00:00Z' },
  }),
});
