import { newPhoneNumber, row } from '../harness/world.ts';
import { newSid, newWebhookClient } from '../messages/webhook-client.ts';

export default row({
  about: 'self',
  request: async ({ product, admin, rep }) => {
    const { phoneNumber } = await newWebhookClient(product, admin, rep);
    return {
      path: { provider: 'smsprovider' },
      body: { MessageSid: newSid(), From: newPhoneNumber(), To: phoneNumber, Body: 'Hello', NumMedia: '0' },
    };
  },
  fieldStatuses: { MessageSid: 400 },
});
