import { newCallSid } from '../calls/reports.ts';
import { accessCase, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';

export default accessCase({
  subject: 'self',
  request: async ({ product, admin, rep }) => {
    const { phoneNumber } = await newWebhookClient(product, admin, rep);
    const [CallSid, From] = [newCallSid(), newPhoneNumber()];
    return {
      path: { provider: 'twilio' },
      body: { CallSid, From, To: phoneNumber, Direction: 'inbound', CallStatus: 'ringing' },
    };
  },
  // Only the callback of a recording may do without.
  fieldStatuses: { To: 400 },
});
