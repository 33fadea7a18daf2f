import { forgetFactor, putPasswordBack } from '../auth/records.ts';
import { password } from '../harness/product.ts';
import { row } from '../harness/world.ts';

export default row({
  about: 'self',
  async request({ product, rep }) {
    await putPasswordBack(product, rep);
    await forgetFactor(product, rep);
    return { body: { email: rep.email, password } };
  },
  fieldStatuses: { email: 401, password: 401 },
});
