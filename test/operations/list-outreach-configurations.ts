import { accessCase, expectStatus } from '../harness/tenants.ts';

export default accessCase({
  subject: 'organization',
  request: async ({ product, admin }) => {
    const body = { name: 'Spring campaign' };
    expectStatus(await product.call('create-outreach-configuration', { token: admin.token, body }), 201);
    return {};
  },
});
