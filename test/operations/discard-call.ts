import { newCall } from '../calls/client.ts';
import { row } from '../harness/world.ts';

export default row({
  about: 'record',
  async request({ product, rep }) {
    const { _id: callId, contactId } = await newCall(product, rep);
    return { path: { callId }, body: { contactId, deleteContact: true } };
  },
});
