import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'organization',
  async request({ newContact, product, rep }) {
    const { _id: contactId } = await newContact();
    await product.call('start-outbound-call', { token: rep.token, body: { contactId } });
    return {};
  },
});
