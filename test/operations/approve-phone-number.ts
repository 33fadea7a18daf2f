import { accessCase, expectStatus, newPhoneNumber } from '../harness/tenants.ts';

export default accessCase({
  subject: 'named-organization',
  request: async ({ product, admin: { organizationId, token }, otherRep: { userId } }) => {
    const body = { userId, provider: 'twilio', phoneNumber: newPhoneNumber() };
    const assigned = await product.call('assign-phone-number', { token, path: { organizationId }, body });
    return { path: { organizationId, phoneNumber: expectStatus(assigned, 201).data.phoneNumber }, body: {} };
  },
});
