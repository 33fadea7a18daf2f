import { accessCase } from '../harness/tenants.ts';
import { deliveryFor } from '../webhook-endpoints/endpoints.ts';

export default accessCase({
  subject: 'shared',
  request: async ({ product, admin }) => ({ path: { id: await deliveryFor(product, admin) } }),
});
