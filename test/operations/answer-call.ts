import { callsClient } from '../calls/client.ts';
import { accessCase, newPhoneNumber } from '../harness/tenants.ts';

export default accessCase({
  subject: 'record',
  request: async ({ product, rep }) => {
    const call = await callsClient(product, rep).dialed({ phoneNumber: newPhoneNumber() });
    return { path: { callId: call._id } };
  },
});
