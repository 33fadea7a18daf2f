import { forgetFactor } from '../auth/records.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  async request({ product }, by) {
    await forgetFactor(product, by);
    return { body: { type: 'totp' } };
  },
});
