import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  request: async ({ product }) => ({
    body: { refreshToken: (await product.newOrganization()).refreshToken },
  }),
  fieldStatuses: { refreshToken: 401 },
});
