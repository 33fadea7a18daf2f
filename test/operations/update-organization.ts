import { newPhoneNumber, row } from '../harness/world.ts';

export default row({
  about: 'named-organization',
  request: ({ admin }) => ({
    path: { organizationId: admin.organizationId },
    body: { name: `Bluebird ${newPhoneNumber()}` },
  }),
});
