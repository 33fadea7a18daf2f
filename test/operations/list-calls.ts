import { row } from '../harness/world.ts';

export default row({
  about: 'organization',
  async request({ newContact, product, rep }) {
    const { _id: contactId } = await newContact();
    await product.call('start-outbound-call', { token: rep.token, body: { contactId } });
    return {};
  },
});
