import { password } from '../harness/product.ts';
import { row } from '../harness/world.ts';

export default row({
  about: 'self',
  request: ({ rep }) => ({ body: { email: rep.email, password } }),
  fieldStatuses: { email: 401, password: 401 },
});
