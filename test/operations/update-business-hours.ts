import { accessCase, inTurn } from '../harness/tenants.ts';

const timezone = inTurn('Europe/Kyiv', 'Europe/Vienna');

export default accessCase({
  subject: 'named-organization',
  request: ({ admin }) => ({
    path: { organizationId: admin.organizationId },
    body: { timezone: timezone() },
  }),
});
