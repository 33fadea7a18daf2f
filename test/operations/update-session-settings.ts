import { accessCase, inTurn } from '../harness/tenants.ts';

const idleTimeoutMinutes = inTurn(60, 30);

export default accessCase({
  subject: 'named-organization',
  request: ({ admin }) => ({
    path: { organizationId: admin.organizationId },
    body: { idleTimeoutMinutes: idleTimeoutMinutes() },
  }),
});
