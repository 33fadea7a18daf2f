import { forgetFactor, putPasswordBack } from '../auth/records.ts';
import { password } from '../harness/product.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  async request({ product, rep }) {
    await putPasswordBack(product, rep);
    await forgetFactor(product, rep);
    return { body: { email: rep.email, password } };
  },
  fieldStatuses: { email: 401, password: 401 },
});
