import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'organization',
  request: ({ admin }, by) => ({
    body: {
      name: 'Reporting',
      access: 'read',
      ...(by.organizationId === admin.organizationId && { userId: admin.userId }),
    },
  }),
});
