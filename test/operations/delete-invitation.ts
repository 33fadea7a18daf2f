import { randomUUID } from 'node:crypto';
import { accessCase, expectStatus } from '../harness/tenants.ts';

export default accessCase({
  subject: 'shared',
  request: async ({ product, admin: { token } }) => {
    const body = { email: `${randomUUID()}@example.com` };
    const created = await product.call('invite-user', { token, body });
    return { path: { id: expectStatus(created, 201).data._id } };
  },
});
