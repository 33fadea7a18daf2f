import { factorsClient } from '../auth/factors-client.ts';
import { forgetFactor, putPasswordBack } from '../auth/records.ts';
import { password } from '../harness/product.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  fieldStatuses: { code: 400, currentPassword: 400 },
  // It is a factor of `rep`.
  refused: { superadmin: 404 },
  async request({ product }, by) {
    await putPasswordBack(product, by);
    await forgetFactor(product, by);
    const { id } = await factorsClient(product).own(by);
    return { path: { id }, body: { currentPassword: password } };
  },
});
