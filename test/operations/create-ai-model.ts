import { randomUUID } from 'node:crypto';
import { row } from '../harness/world.ts';

export default row({
  about: 'self',
  request: () => ({ body: { providerName: 'Example AI', gatewayUniqueName: randomUUID() } }),
});
