import { newPhoneNumber, row } from '../harness/world.ts';

export default row({
  about: 'named-organization',
  request: ({ admin, rep }) => ({
    path: { organizationId: admin.organizationId },
    body: { userId: rep.userId, provider: 'twilio', phoneNumber: newPhoneNumber() },
  }),
});
