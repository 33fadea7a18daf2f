import { putPasswordBack } from '../auth/records.ts';
import { password } from '../harness/product.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'self',
  async request({ product, superadmin }, by) {
    await Promise.all([by, superadmin].map((person) => putPasswordBack(product, person)));
    return { body: { currentPassword: password, newPassword: 'a new horse, another battery' } };
  },
  fieldStatuses: { currentPassword: 400 },
});
