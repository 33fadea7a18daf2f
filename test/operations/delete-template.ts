import { accessCase, expectStatus } from '../harness/tenants.ts';

export default accessCase({
  subject: 'shared',
  request: async ({ product }, by) => {
    const body = { name: 'Welcome', template: 'Hi {{firstName}}', type: 'sms', isShared: true };
    const created = await product.call('create-template', { token: by.token, body });
    return { path: { id: expectStatus(created, 201).data._id } };
  },
});
