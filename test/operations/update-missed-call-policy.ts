import { row } from '../harness/world.ts';

export default row({
  about: 'named-organization',
  request: ({ admin }) => ({
    path: { organizationId: admin.organizationId },
    body: { sendWhen: 'business_hours' },
  }),
});
