import { randomUUID } from 'node:crypto';
import { expectStatus, row } from '../harness/world.ts';

export default row({
  about: 'self',
  request: async ({ product, superadmin }) => {
    const body = { providerName: 'Example AI', gatewayUniqueName: randomUUID() };
    const created = await product.call('create-ai-model', { token: superadmin.token, body });
    return { path: { id: expectStatus(created, 201).data._id }, body: { providerName: 'Better AI' } };
  },
  fieldStatuses: { gatewayUniqueName: 409 },
});
