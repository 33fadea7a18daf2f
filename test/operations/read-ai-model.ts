import { randomUUID } from 'node:crypto';
import { accessCase, expectStatus } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  request: async ({ product, superadmin }) => {
    const body = { providerName: 'Example AI', gatewayUniqueName: randomUUID() };
    const created = await product.call('create-ai-model', { token: superadmin.token, body });
    return { path: { id: expectStatus(created, 201).data._id } };
  },
});
