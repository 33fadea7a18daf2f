import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'named-organization',
  request: ({ admin }) => ({ path: { organizationId: admin.organizationId } }),
});
