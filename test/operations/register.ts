import { randomUUID } from 'node:crypto';
import { password } from '../harness/product.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  request: () => ({
    body: { email: `${randomUUID()}@example.com`, password, firstName: 'A', lastName: 'B' },
  }),
});
