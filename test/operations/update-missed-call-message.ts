import { accessCase, inTurn } from '../harness/tenants.ts';

const missedCallMessage = inTurn('Sorry, {{contactName}}', 'We call you back');

export default accessCase({
  subject: 'named-organization',
  request: ({ admin }) => ({
    path: { organizationId: admin.organizationId },
    body: { missedCallMessage: missedCallMessage() },
  }),
});
