import { newPhoneNumber, row } from '../harness/world.ts';
import { newLine, newSid } from '../messages/phones.ts';

export default row({
  about: 'self',
  request: async ({ product, admin, rep }) => {
    const { phoneNumber } = await newLine(product, admin, rep);
    return {
      path: { provider: 'smsprovider' },
      body: { MessageSid: newSid(), From: newPhoneNumber(), To: phoneNumber, Body: 'Hello', NumMedia: '0' },
    };
  },
});
