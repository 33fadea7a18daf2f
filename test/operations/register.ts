import { randomUUID } from 'node:crypto';
import { password } from '../harness/product.ts';
import { row } from '../harness/world.ts';

export default row({
  about: 'self',
  request: () => ({
    body: { email: `${randomUUID()}@example.com`, password, firstName: 'A', lastName: 'B' },
  }),
});
