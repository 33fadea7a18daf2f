import { inTurn, row } from '../harness/world.ts';

const sendWhen = inTurn('business_hours', 'always');

export default row({
  about: 'named-organization',
  request: ({ admin }) => ({
    path: { organizationId: admin.organizationId },
    body: { sendWhen: sendWhen() },
  }),
});
