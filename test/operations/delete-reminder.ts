import { expectStatus, row } from '../harness/world.ts';

export default row({
  about: 'record',
  request: async ({ product, rep, newContact }) => {
    const { _id: contactId } = await newContact();
    const body = { contactId, note: 'Call back', remindAt: '2027-01-15T09:00:00Z' };
    const created = await product.call('create-reminder', { token: rep.token, body });
    return { path: { id: expectStatus(created, 201).data._id } };
  },
});
