import { inTurn, row } from '../harness/world.ts';

const timezone = inTurn('Europe/Kyiv', 'Europe/Vienna');

export default row({
  about: 'named-organization',
  request: ({ admin }) => ({
    path: { organizationId: admin.organizationId },
    body: { timezone: timezone() },
  }),
});
