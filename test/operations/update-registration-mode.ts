import { inTurn, row } from '../harness/world.ts';

const registrationMode = inTurn('admin_only', 'open');

export default row({
  about: 'named-organization',
  request: ({ admin }) => ({
    path: { organizationId: admin.organizationId },
    body: { registrationMode: registrationMode() },
  }),
});
