import { accessCase, expectStatus, newPhoneNumber } from '../harness/tenants.ts';

export default accessCase({
  subject: 'shared',
  request: async ({ product, admin: { token } }) => {
    const body = { name: newPhoneNumber() };
    const created = await product.call('create-department', { token, body });
    return { path: { id: expectStatus(created, 201).data._id }, body: { name: newPhoneNumber() } };
  },
  fieldStatuses: { name: 409 },
});
