import { callsClient } from '../calls/client.ts';
import { newPhoneNumber, row } from '../harness/world.ts';

export default row({
  about: 'record',
  request: async ({ product, rep }) => {
    const call = await callsClient(product, rep).dialed({ phoneNumber: newPhoneNumber() });
    return { path: { callId: call._id } };
  },
});
