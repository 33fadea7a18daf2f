import { inTurn, row } from '../harness/world.ts';

const idleTimeoutMinutes = inTurn(60, 30);

export default row({
  about: 'named-organization',
  request: ({ admin }) => ({
    path: { organizationId: admin.organizationId },
    body: { idleTimeoutMinutes: idleTimeoutMinutes() },
  }),
});
