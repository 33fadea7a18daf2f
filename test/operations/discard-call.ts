import { callOf } from '../calls/phone.ts';
import { row } from '../harness/world.ts';

export default row({
  about: 'record',
  async request({ product, rep }) {
    const { _id: callId, contactId } = await callOf(product, rep);
    return { path: { callId }, body: { contactId, deleteContact: true } };
  },
});
