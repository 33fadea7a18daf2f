import { expectStatus, row } from '../harness/world.ts';

export default row({
  about: 'organization',
  request: async ({ product, admin }) => {
    const body = { name: 'Spring campaign' };
    expectStatus(await product.call('create-outreach-configuration', { token: admin.token, body }), 201);
    return {};
  },
});
