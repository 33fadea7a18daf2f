import { accessCase, arrange } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async ({ product, admin, newContact }) => {
    const path = { id: (await newContact())._id };
    await arrange(product.call('archive-contact', { token: admin.token, path }));
    return { path };
  },
});
