import { row } from '../harness/world.ts';

export default row({
  about: 'self',
  request: async ({ product }) => ({
    body: { refreshToken: (await product.newOrganization()).refreshToken },
  }),
  fieldStatuses: { refreshToken: 401 },
});
