import { accessCase, expectStatus } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async ({ product, rep, newContact }) => {
    const { _id: contactId } = await newContact();
    const body = { contactId, note: 'Call back', remindAt: '2027-01-15T09:00:00Z' };
    const created = await product.call('create-reminder', { token: rep.token, body });
    return { path: { id: expectStatus(created, 201).data._id } };
  },
});
