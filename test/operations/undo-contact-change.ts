import { accessCase, expectStatus } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async ({ newContact, product, rep }) => {
    const [into, from] = [await newContact(), await newContact()];
    const body = { from: from._id };
    const merged = await product.call('merge-contact', { token: rep.token, path: { id: into._id }, body });
    return { path: { id: expectStatus(merged, 200).changeId } };
  },
});
