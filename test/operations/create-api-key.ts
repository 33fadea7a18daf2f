import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  // About the user that the key acts as.
  subject: 'shared',
  request: ({ admin: { userId } }) => ({ body: { name: 'Reporting', access: 'read', userId } }),
});
