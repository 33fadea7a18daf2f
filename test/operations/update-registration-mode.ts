import { accessCase, inTurn } from '../harness/tenants.ts';

const registrationMode = inTurn('admin_only', 'open');

export default accessCase({
  subject: 'named-organization',
  request: ({ admin }) => ({
    path: { organizationId: admin.organizationId },
    body: { registrationMode: registrationMode() },
  }),
});
