import { inTurn, row } from '../harness/world.ts';

const dailyLimit = inTurn(2_000, 1_000);

export default row({
  about: 'named-organization',
  request: ({ admin }) => ({
    path: { organizationId: admin.organizationId },
    body: { dailyLimit: dailyLimit() },
  }),
});
