import { randomUUID } from 'node:crypto';
import { expectStatus, row } from '../harness/world.ts';

export default row({
  about: 'shared',
  request: async ({ product, admin: { token } }) => {
    const body = { email: `${randomUUID()}@example.com` };
    const created = await product.call('invite-user', { token, body });
    return { path: { id: expectStatus(created, 201).data._id } };
  },
});
