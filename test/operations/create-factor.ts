import { forgetFactor } from '../auth/records.ts';
import { row } from '../harness/world.ts';

export default row({
  about: 'self',
  async request({ product }, by) {
    await forgetFactor(product, by);
    return { body: { type: 'totp' } };
  },
});
