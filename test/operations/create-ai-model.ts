import { randomUUID } from 'node:crypto';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  request: () => ({ body: { providerName: 'Example AI', gatewayUniqueName: randomUUID() } }),
});
