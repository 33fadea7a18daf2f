import { inTurn, row } from '../harness/world.ts';

const missedCallMessage = inTurn('Sorry, {{contactName}}', 'We call you back');

export default row({
  about: 'named-organization',
  request: ({ admin }) => ({
    path: { organizationId: admin.organizationId },
    body: { missedCallMessage: missedCallMessage() },
  }),
});
