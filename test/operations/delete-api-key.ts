import { newApiKey } from '../api-keys/keys.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'shared',
  request: async ({ product, admin }) => ({ path: { id: (await newApiKey(product, admin)).data._id } }),
});
