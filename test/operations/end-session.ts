import { forgetFactor, putPasswordBack } from '../auth/records.ts';
import { password } from '../harness/product.ts';
import { accessCase, arrange } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  // It is a session of `rep`.
  refused: { superadmin: 404 },
  async request({ product }, by) {
    await putPasswordBack(product, by);
    await forgetFactor(product, by);
    const { refreshToken } = await arrange(product.call('login', { body: { email: by.email, password } }));
    return { path: { id: refreshToken.split('.')[0] } };
  },
});
