import { newCall } from '../calls/client.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  async request({ product, rep }) {
    const { _id: callId, contactId } = await newCall(product, rep);
    return { path: { callId }, body: { contactId, deleteContact: true } };
  },
});
