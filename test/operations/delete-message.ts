import { accessCase, expectStatus } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async ({ product, rep, newContact }) => {
    const { _id: contactId } = await newContact();
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const body = { contactId, content: 'See you at ten', sendAt };
    const scheduled = await product.call('send-message', { token: rep.token, body });
    return { path: { id: expectStatus(scheduled, 201).data._id } };
  },
});
