import { accessCase, inTurn } from '../harness/tenants.ts';

const dailyLimit = inTurn(2_000, 1_000);

export default accessCase({
  subject: 'named-organization',
  request: ({ admin }) => ({
    path: { organizationId: admin.organizationId },
    body: { dailyLimit: dailyLimit() },
  }),
});
