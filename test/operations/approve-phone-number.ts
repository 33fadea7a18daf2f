import { expectStatus, newPhoneNumber, row } from '../harness/world.ts';

export default row({
  about: 'named-organization',
  request: async ({ product, admin: { organizationId, token }, stranger: { userId } }) => {
    const body = { userId, provider: 'twilio', phoneNumber: newPhoneNumber() };
    const assigned = await product.call('assign-phone-number', { token, path: { organizationId }, body });
    return { path: { organizationId, phoneNumber: expectStatus(assigned, 201).data.phoneNumber }, body: {} };
  },
});
