import { accessCase, inTurn } from '../harness/tenants.ts';

const sendWhen = inTurn('business_hours', 'always');

export default accessCase({
  subject: 'named-organization',
  request: ({ admin }) => ({
    path: { organizationId: admin.organizationId },
    body: { sendWhen: sendWhen() },
  }),
});
