import { codeAt, factorsClient } from '../auth/factors-client.ts';
import { forgetFactor } from '../auth/records.ts';
import { accessCase, arrange } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  fieldStatuses: { code: 400 },
  // It is a factor of `rep`.
  refused: { superadmin: 404 },
  async request({ product }, by) {
    await forgetFactor(product, by);
    const { _id, secret } = await arrange(factorsClient(product).setUp(by));
    return { path: { id: _id }, body: { code: codeAt(secret, new Date()) } };
  },
});
