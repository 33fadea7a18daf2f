import { accessCase, expectStatus } from '../harness/tenants.ts';

export default accessCase({
  subject: 'shared',
  request: async ({ product, admin }) => {
    const body = { name: 'Onboarding' };
    const created = await product.call('create-listing', { token: admin.token, body });
    return { path: { id: expectStatus(created, 201).data._id } };
  },
});
