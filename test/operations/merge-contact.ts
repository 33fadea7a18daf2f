import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async ({ newContact }) => {
    const [into, from] = [await newContact(), await newContact()];
    return { path: { id: into._id }, body: { from: from._id } };
  },
});
