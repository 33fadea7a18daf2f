import { accessCase, newPhoneNumber } from '../harness/tenants.ts';

export default accessCase({
  subject: 'named-organization',
  request: ({ admin, rep }) => ({
    path: { organizationId: admin.organizationId },
    body: { userId: rep.userId, provider: 'twilio', phoneNumber: newPhoneNumber() },
  }),
});
